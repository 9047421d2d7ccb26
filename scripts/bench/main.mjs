// `npm run bench`: the figures of docs/performance.md. Prints markdown. Everything stays on 127.0.0.1 and stops by itself.
import { cpus, totalmem } from 'node:os';
import { fill, makeSession, occupy, serve, startGateway } from './gateway.mjs';
import { measure, processorSeconds, residentMiB } from './measure.mjs';
import { sqliteLimit } from './sqlite-limit.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const body = JSON.stringify({ kind: 'submit_prompt', payload: { prompt: 'x'.repeat(200) } });
const submit = { method: 'POST', path: '/v1/requests', body, seconds };
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const round = (value, digits = 0) => value.toFixed(digits);
const say = (text) => console.error(`bench: ${text}`);

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0].model}, ${round(totalmem() / 2 ** 30)} GiB; ${seconds} s a row, load from a second process.\n`,
);

row(
  'accept',
  'connections',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'processor ms/request',
  'of the stack without a database',
);
row('---', '---', '---', '---', '---', '---', '---');
for (const connections of [1, 16, 64]) {
  say(`accept at ${connections} connections`);
  const node = await serve(['scripts/bench/limits-server.mjs', 'node'], process.env, false);
  const bare = await measure(node.pid, { ...submit, url: node.url, connections });
  await node.kill();
  const stackServer = await serve(['scripts/bench/limits-server.mjs', 'stack'], process.env, false);
  const stack = await measure(stackServer.pid, { ...submit, url: stackServer.url, connections });
  await stackServer.kill();
  const session = await makeSession();
  const gateway = await startGateway(session);
  await occupy(gateway.url);
  const ours = await measure(gateway.pid, { ...submit, url: gateway.url, connections });
  await gateway.kill();
  session.remove();
  const commits = await sqliteLimit(connections, seconds);
  const line = (name, result) =>
    row(
      name,
      connections,
      round(result.perSecond),
      round(result.p50, 1),
      round(result.p99, 1),
      round(result.processorMs, 3),
      `${round((100 * result.perSecond) / stack.perSecond)} %`,
    );
  line('**gateway**', ours);
  line('limit: same stack, no database', stack);
  line('limit: bare node:http', bare);
  row('limit: same commits, no HTTP', connections, round(commits), '', '', '', '');
}

say('status reads');
const session = await makeSession();
let gateway = await startGateway(session);
console.log('');
row('read', 'connections', 'requests/s', 'p50 ms', 'p99 ms', 'processor ms/request');
row('---', '---', '---', '---', '---', '---');
for (const path of ['/health', '/v1/status']) {
  const result = await measure(gateway.pid, {
    method: 'GET',
    path,
    seconds,
    url: gateway.url,
    connections: 16,
  });
  row(
    `GET ${path}`,
    16,
    round(result.perSecond),
    round(result.p50, 1),
    round(result.p99, 1),
    round(result.processorMs, 3),
  );
}
await gateway.stop();

say('idle');
gateway = await startGateway(session);
await new Promise((resolve) => setTimeout(resolve, 5000));
const before = processorSeconds(gateway.pid);
await new Promise((resolve) => setTimeout(resolve, 20_000));
const idle = (processorSeconds(gateway.pid) - before) / 20;
const memory = residentMiB(gateway.pid);
const freshStart = gateway.startMs;
await gateway.stop();
console.log('');
row('at rest', '');
row('---', '---');
row('start until /health answers', `${round(freshStart)} ms`);
row('memory', `${round(memory)} MiB`);
row('processor', `${round(idle * 100, 2)} %`);

say('growth: 100,000 finished requests');
async function acceptP99(prepare) {
  const one = await makeSession();
  let server = await startGateway(one);
  await server.stop();
  prepare(one);
  server = await startGateway(one);
  await occupy(server.url);
  const result = await measure(server.pid, { ...submit, url: server.url, connections: 16 });
  await server.kill();
  one.remove();
  return result;
}
const empty = await acceptP99(() => undefined);
const full = await acceptP99((one) => fill(one, 100_000, 'completed'));
row('accept p99 at 16 connections, 0 finished requests', `${round(empty.p99, 1)} ms`);
row(
  'accept p99 at 16 connections, 100,000 finished requests',
  `${round(full.p99, 1)} ms (${round(full.p99 / empty.p99, 2)}×)`,
);

say('restart with 100,000 accepted requests');
fill(session, 100_000, 'accepted');
gateway = await startGateway(session);
row(
  'start until /health answers, 100,000 accepted requests',
  `${round(gateway.startMs)} ms (+${round(gateway.startMs - freshStart)} ms)`,
);
await gateway.kill();
session.remove();
