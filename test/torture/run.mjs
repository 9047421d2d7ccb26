// `npm run torture [-- --rounds N --seed S]`: kills a gateway at random moments under load, starts it again on the same
// root, and holds it to what it had acknowledged. Exit code 1 on any violation; the folder is kept then.
import { parseArgs } from 'node:util';
import { check } from './check.mjs';
import { ledgerOf, markedProcesses, storedState } from './evidence.mjs';
import { launchGateway } from './gateway.mjs';
import { call, Load } from './load.mjs';
import { seededRandom } from './random.mjs';
import { makeSession } from './session.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string' } },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const random = seededRandom(seed);
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Everything that waits at the end is run in this time: some seconds on a quiet machine. */
const drainMilliseconds = 600_000;

const began = Date.now();
const session = await makeSession('torture');
const load = new Load(random);
const kills = { process: 0, group: 0, clean: 0, 'while starting': 0 };
const violations = [];
let slowestStart = 0;
console.log(`torture: ${rounds} rounds, seed ${seed}, in ${session.folder}`);

for (let round = 1; round <= rounds && violations.length === 0; round += 1) {
  await playRound(round).catch((error) => violations.push(`round ${round}: ${error.message}`));
  if (violations.length === 0)
    violations.push(...check(session, load, false).map((what) => `round ${round}: ${what}`));
  if (round % 10 === 0 || round === rounds || violations.length > 0) report(round);
}
if (violations.length === 0) await drain().catch((error) => violations.push(`at the end: ${error.message}`));
if (violations.length === 0)
  violations.push(...check(session, load, true).map((what) => `at the end: ${what}`));
summarise();

async function playRound(round) {
  if (random.chance(0.15)) {
    // Somewhere in its start, recovery included.
    const unlucky = launchGateway(session);
    await sleep(random.between(0, 1500));
    await unlucky.end('process');
    kills['while starting'] += 1;
  }
  const { gateway, url } = await start(round);
  const gone = new AbortController();
  const working = load.run(url, gone.signal, random.between(2, 10));
  working.catch(() => undefined);
  await sleep(random.between(0, 1600));
  const how = random.pick(['process', 'process', 'process', 'group', 'group', 'clean']);
  kills[how] += 1;
  await gateway.end(how);
  gone.abort();
  await working;
  if (how === 'clean') expectNobody(everyTurn(), 'after a clean stop');
}

async function start(round) {
  const before = everyTurn();
  const launched = performance.now();
  const gateway = launchGateway(session);
  const url = await gateway.ready;
  if (url === null) throw new Error(`the gateway did not start: ${gateway.stderr()}`);
  slowestStart = Math.max(slowestStart, performance.now() - launched);
  expectNobody(before, `after start ${round}`);
  return { gateway, url };
}

/** Turns that the database or the agent knows of. Only asked while no gateway runs. */
function everyTurn() {
  return [...new Set([...storedState(session).turns, ...ledgerOf(session)].map((one) => one.turn_id))];
}

function expectNobody(turnIds, when) {
  const orphans = markedProcesses(turnIds);
  if (orphans.length > 0) throw new Error(`orphans ${when}: pids ${orphans.join(', ')}`);
}

/** Lets everything that waits run to its end, then stops the gateway. */
async function drain() {
  const { gateway, url } = await start('the last');
  await load.settle(url);
  await untilDrained(url);
  await gateway.end('clean');
  expectNobody(everyTurn(), 'at the end');
}

async function untilDrained(url) {
  const deadline = Date.now() + drainMilliseconds;
  for (;;) {
    const { queue_depth, active_execution } = (await call(url, 'GET', '/v1/status')).body;
    if (queue_depth === 0 && active_execution === 'idle') return;
    if (Date.now() > deadline)
      throw new Error(
        `${queue_depth} still wait after ${drainMilliseconds} ms, and the agent is ${active_execution}`,
      );
    await sleep(200);
  }
}

function report(round) {
  const acknowledged = load.submissions.filter((one) => one.requestId).length;
  console.log(
    `torture: round ${round}/${rounds}, ${acknowledged} acknowledged, ${ledgerOf(session).filter((entry) => entry.prompt).length} run, ${((Date.now() - began) / 1000).toFixed(0)} s`,
  );
}

function summarise() {
  const { requests, events } = storedState(session);
  const states = Object.entries(grouped(requests)).map(([state, rows]) => `${rows.length} ${state}`);
  const struck = Object.entries(kills).map(([how, times]) => `${times} ${how}`);
  for (const violation of violations) console.log(`VIOLATION ${violation}`);
  console.log(
    `torture: ${violations.length === 0 ? 'ok' : 'FAILED'}; seed ${seed}; ends: ${struck.join(', ')}; ${load.submissions.length} submitted, ` +
      `${load.submissions.filter((one) => one.requestId).length} acknowledged (${states.join(', ')}), ${load.dispatched.length} direct; ` +
      `${events.length} events; slowest start ${(slowestStart / 1000).toFixed(1)} s; ${((Date.now() - began) / 1000).toFixed(0)} s; ${violations.length} violations`,
  );
  if (violations.length === 0) session.remove();
  else console.log(`torture: evidence is in ${session.folder}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function grouped(requests) {
  const groups = {};
  for (const row of requests) {
    groups[row.state] ??= [];
    groups[row.state].push(row);
  }
  return groups;
}
