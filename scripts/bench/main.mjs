// `npm run bench [-- --seconds N --rounds N --rows N --only growth]`: measures the gateway beside its limits on this machine and
// prints one Markdown report. The load generator is a process of its own; CPU time is the server's, from /proc (Linux).
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { linesOf } from '../../test/torture/evidence.mjs';
import { makeSession } from '../../test/torture/session.mjs';
import { fleet } from './fleet.mjs';
import { mail } from './mail.mjs';
import { mailServer } from './mail-server.mjs';
import { page } from './page.mjs';
import {
  cpuOf,
  drive,
  driveCommits,
  residentMegabytes,
  sleep,
  startGateway,
  startLimitServer,
} from './processes.mjs';
import { hardware, median, milliseconds, table } from './report.mjs';
import { addRows } from './rows.mjs';
import { serverCosts } from './server.mjs';
import { streams } from './streams.mjs';
import { terminals } from './terminals.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
    messages: { type: 'string', default: '10000' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
/** In the largest queue; the smaller one has a tenth. */
const most = Number(values.rows);
const many = Math.ceil(most / 10);
/** Of bare `node:http`'s processor time for an answer in the same run, or in the unit that the name says. */
const limits = {
  accepts: { 16: 3.5 },
  reads: { '/health': 1.5, '/v1/status': 1.5 },
  listMilliseconds: 1,
  start: 350,
  idleMegabytes: 80,
  idlePercent: 0.1,
};
/** V8 needs some thousand requests before its code is what it stays. */
const warmSeconds = 6;
const body = JSON.stringify({ kind: 'submit_prompt', payload: { prompt: 'p'.repeat(300) } });
const accept = (connections, time = seconds) => ({
  connections,
  seconds: time,
  method: 'POST',
  path: '/v1/requests',
  body,
});

const say = (line) => console.error(`bench: ${line}`);
const thousands = (count) => count.toLocaleString('en-US');
const parts = {
  starts,
  idle,
  accepts,
  reads,
  growth,
  restart,
  terminals: () => terminals({ say, seconds, warmSeconds }),
  streams: () => streams({ say }),
  page: () => page({ say }),
  server: () => serverCosts({ say, seconds, warmSeconds, rounds }),
  fleet: () => fleet({ say, seconds, warmSeconds }),
  mail: () => mail({ say, messages: Number(values.messages) }),
  'mail-server': () => mailServer({ say, messages: Number(values.messages) }),
};
if (values.help) {
  console.log(`npm run bench -- [options]: measures the gateway beside its limits, in about 20 minutes.
  --only <part>    ${Object.keys(parts).join(', ')}
  --seconds N      the time of each measurement (4)
  --rounds N       how often each is repeated (3)
  --rows N         finished rows of the largest queue (1000000)
  --messages N     messages of the mailbox (10000)`);
  process.exit(0);
}
if (values.only !== undefined && !(values.only in parts)) {
  console.error(`bench: --only takes one of ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}
console.log(await hardware());
for (const [name, part] of Object.entries(parts))
  if (values.only === undefined || values.only === name) await part();

/** A session whose agent is busy for an hour, so that nothing but the accepts is measured. */
async function busyGateway(prepare = () => undefined) {
  const session = await makeSession('bench');
  prepare(session);
  const gateway = await startGateway(session);
  const headers = { 'content-type': 'application/json' };
  const holder = JSON.stringify({ prompt: '[[slow=3600000]] holder', force: true });
  // Sent directly, so that it does not wait behind rows that are already there.
  await fetch(`${gateway.url}/v1/control/prompt`, { method: 'POST', headers, body: holder });
  await drive(gateway, accept(16, warmSeconds));
  return {
    gateway,
    session,
    async close() {
      await gateway.stop();
      session.remove();
    },
  };
}

async function starts() {
  say('start to /health');
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const session = await makeSession('bench');
    const gateway = await startGateway(session);
    times.push(gateway.healthMilliseconds);
    await gateway.stop();
    session.remove();
  }
  console.log(
    table(
      ['', 'median of 5', 'worst', 'limit, on a quiet machine'],
      [
        [
          'start to `/health`, empty root',
          milliseconds(median(times)),
          milliseconds(Math.max(...times)),
          milliseconds(limits.start),
        ],
      ],
    ),
  );
}

async function idle() {
  say('idle for 20 s');
  const session = await makeSession('bench');
  const gateway = await startGateway(session);
  // V8 tidies its heap after the last work, several times within some forty seconds.
  await sleep(50_000);
  const before = cpuOf(gateway.pid);
  await sleep(20_000);
  const share = (cpuOf(gateway.pid) - before) / 20_000;
  console.log(
    table(
      ['idle', '', 'limit'],
      [
        ['resident memory', `${residentMegabytes(gateway.pid).toFixed(0)} MB`, `${limits.idleMegabytes} MB`],
        ['CPU', `${(share * 100).toFixed(2)} %`, `${limits.idlePercent} %`],
      ],
    ),
  );
  await gateway.stop();
  session.remove();
}

/** Every candidate in turn, several times over: a machine with other work to do treats them alike. */
async function accepts() {
  const { gateway, close } = await busyGateway();
  const stack = await startLimitServer('stack');
  const bare = await startLimitServer('bare');
  for (const server of [stack, bare]) await drive(server, accept(16, warmSeconds));
  const rows = [];
  for (const connections of [1, 16, 64]) {
    const seen = { gateway: [], stack: [], bare: [], commits: [] };
    for (let round = 0; round < rounds; round += 1) {
      say(`accepts over ${connections} connection(s), round ${round + 1} of ${rounds}`);
      seen.gateway.push(await drive(gateway, accept(connections)));
      seen.stack.push(await drive(stack, accept(connections)));
      seen.bare.push(await drive(bare, accept(connections)));
      seen.commits.push(await driveCommits(connections, seconds));
    }
    rows.push(...acceptRows(connections, seen));
  }
  console.log(
    table(
      [
        'accepts',
        'connections',
        'a second',
        'ours of it',
        'p50',
        'p99',
        'CPU ms each',
        'times bare',
        'limit',
      ],
      rows,
    ),
  );
  console.log(
    `After all accepts: ${residentMegabytes(gateway.pid).toFixed(0)} MB resident, ${(await (await fetch(`${gateway.url}/v1/status`)).json()).queue_depth} rows waiting.\n`,
  );
  for (const server of [stack, bare]) await server.stop();
  await close();
}

function acceptRows(connections, seen) {
  const middle = (runs, key) => median(runs.map((run) => run[key]));
  const ours = middle(seen.gateway, 'perSecond');
  for (const run of seen.gateway)
    if (run.statuses['202'] !== run.count)
      throw new Error(`not all accepted: ${JSON.stringify(run.statuses)}`);
  const row = (name, runs) => [
    name,
    connections,
    middle(runs, 'perSecond').toFixed(0),
    runs === seen.gateway ? '' : `${((100 * ours) / middle(runs, 'perSecond')).toFixed(0)} %`,
    runs[0].p50 === undefined ? '' : milliseconds(middle(runs, 'p50')),
    runs[0].p99 === undefined ? '' : milliseconds(middle(runs, 'p99')),
    middle(runs, 'cpuMilliseconds').toFixed(3),
    timesBare(middle(runs, 'cpuMilliseconds'), seen.bare),
    runs === seen.gateway ? (limits.accepts[connections] ?? '') : '',
  ];
  return [
    row('**gateway**, on disk when answered', seen.gateway),
    row('limit: same stack, no database', seen.stack),
    row('limit: same commits, no HTTP', seen.commits),
    row('limit: bare `node:http`', seen.bare),
  ];
}

/** Processor time of one answer in that of the bare server, which was measured in turns with it. */
function timesBare(cpuMilliseconds, bare) {
  return (cpuMilliseconds / median(bare.map((run) => run.cpuMilliseconds))).toFixed(2);
}

async function reads() {
  const { gateway, close } = await busyGateway();
  const bare = await startLimitServer('bare');
  const ask = (path) => ({ connections: 16, seconds, method: 'GET', path });
  await drive(bare, { ...ask('/'), seconds: warmSeconds });
  const paths = ['/health', '/v1/status', '/v1/requests?limit=50'];
  const seen = new Map([...paths, 'bare'].map((path) => [path, []]));
  for (let round = 0; round < rounds; round += 1) {
    say(`reads, round ${round + 1} of ${rounds}`);
    for (const path of paths) seen.get(path).push(await drive(gateway, ask(path)));
    seen.get('bare').push(await drive(bare, ask('/')));
  }
  const rows = [...seen].map(([path, runs]) => {
    const middle = (key) => median(runs.map((run) => run[key]));
    const list = path.includes('limit=50');
    return [
      path === 'bare' ? 'bare `node:http`' : `\`GET ${path}\``,
      middle('perSecond').toFixed(0),
      milliseconds(middle('p50')),
      milliseconds(middle('p99')),
      middle('cpuMilliseconds').toFixed(3),
      timesBare(middle('cpuMilliseconds'), seen.get('bare')),
      list ? milliseconds(limits.listMilliseconds) : (limits.reads[path] ?? ''),
    ];
  });
  console.log(
    table(['reads, 16 connections', 'a second', 'p50', 'p99', 'CPU ms each', 'times bare', 'limit'], rows),
  );
  await bare.stop();
  await close();
}

async function growth() {
  const grown = [];
  for (const count of [0, many, most]) {
    say(`growth, a queue with ${thousands(count)} finished rows`);
    let bytes = 0;
    const one = await busyGateway((session) => {
      addRows(session, count, 'completed');
      bytes = statSync(session.paths.queue).size;
    });
    grown.push({ count, bytes, gateway: one.gateway, close: one.close, runs: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    say(`growth, round ${round + 1} of ${rounds}`);
    for (const { gateway, runs } of grown) runs.push(await drive(gateway, accept(16)));
  }
  const p99 = ({ runs }) => median(runs.map((run) => run.p99));
  const row = (one) => [
    `${thousands(one.count)} finished rows at the start (${(one.bytes / 1e6).toFixed(0)} MB)`,
    milliseconds(median(one.runs.map((run) => run.p50))),
    milliseconds(p99(one)),
    `${(p99(one) / p99(grown[0])).toFixed(2)}`,
    median(one.runs.map((run) => run.cpuMilliseconds)).toFixed(3),
    `${residentMegabytes(one.gateway.pid).toFixed(0)} MB`,
  ];
  console.log(
    table(
      ['growth, 16 connections', 'p50', 'p99', 'p99 of empty', 'CPU ms each', 'resident'],
      grown.map(row),
    ),
  );
  for (const { close } of grown) await close();
}

async function restart() {
  say(`restart with ${thousands(many)} accepted rows`);
  const times = { health: [], step: [] };
  let bytes = 0;
  for (let round = 0; round < 3; round += 1) {
    const session = await makeSession('bench');
    addRows(session, many, 'accepted');
    bytes = statSync(session.paths.queue).size;
    const gateway = await startGateway(session);
    times.health.push(gateway.healthMilliseconds);
    const taken = () => linesOf(session.paths.log).some((line) => line.includes('executing gateway request'));
    while (!taken()) await sleep(5);
    times.step.push(performance.now() - gateway.started);
    await gateway.stop();
    session.remove();
  }
  console.log(
    table(
      [`restart with ${thousands(many)} accepted rows (${(bytes / 1e6).toFixed(0)} MB)`, 'median of 3'],
      [
        ['start to `/health`', milliseconds(median(times.health))],
        ['start to the first prompt taken', milliseconds(median(times.step))],
      ],
    ),
  );
}
