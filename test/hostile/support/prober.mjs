// A process of its own that asks the gateway's /health and a bare server's, each on a connection of its own, every 50 ms.
// What the load generator's own event loop adds is not in it. What a busy machine adds is known in two ways: the kernel
// tells how long a thread was ready and got no core, and the bare server is as slow. Arguments: the port and the process id of the gateway. SIGUSR2 lets it rest, or go on, and it says so. On SIGTERM it prints its figures as
// JSON and ends.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';

const every = 50;
const gatewayPid = Number(process.argv[3]);
const bare = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end('{"protocol_version":"v1","status":"ok"}');
}).listen(0, '127.0.0.1');
await once(bare, 'listening');

const gateway = {
  port: Number(process.argv[2]),
  agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  asked: [],
};
const control = {
  port: bare.address().port,
  agent: new Agent({ keepAlive: true, maxSockets: 1 }),
  asked: [],
};
let stopped = false;
let resting = false;
process.on('SIGUSR2', () => {
  resting = !resting;
  process.stdout.write(resting ? 'resting\n' : 'asking\n');
});
process.on('SIGTERM', () => {
  stopped = true;
});
process.stdout.write('ready\n');
await Promise.all([askAgainAndAgain(gateway), askAgainAndAgain(control)]);
bare.close();
bare.closeAllConnections();
process.stdout.write(`${JSON.stringify(figures())}\n`);

async function askAgainAndAgain(server) {
  while (!stopped) {
    if (resting) {
      await new Promise((resolve) => setTimeout(resolve, every));
      continue;
    }
    const waitedBefore = waitedForCore();
    const from = performance.now();
    const status = await health(server);
    const to = performance.now();
    server.asked.push({ from, to, status, waited: waitedForCore() - waitedBefore });
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, every - (to - from))));
  }
  server.agent.destroy();
}

function health({ port, agent }) {
  return new Promise((resolve) => {
    const call = get({ host: '127.0.0.1', port, path: '/health', agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    call.on('error', (error) => resolve(error.code ?? error.message));
  });
}

/** Milliseconds that the gateway's main thread and this one were ready so far and had to wait for a core (Linux). */
function waitedForCore() {
  try {
    const nanoseconds = [gatewayPid, process.pid].map((pid) =>
      Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]),
    );
    return (nanoseconds[0] + nanoseconds[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The slowest answer of the bare server about the time of another. */
function noiseNear({ from, to }) {
  const near = control.asked.filter((one) => one.to >= from - every && one.from <= to + every);
  return Math.max(0, ...near.map((one) => one.to - one.from));
}

function figures() {
  const took = ({ from, to }) => to - from;
  const own = (one) => took(one) - Math.max(one.waited, noiseNear(one));
  const at = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const summary = (asked, time) => {
    const times = asked.map(time).sort((a, b) => a - b);
    return { count: times.length, p50: at(times, 0.5), p99: at(times, 0.99), slowest: at(times, 1) };
  };
  const worst = gateway.asked.toSorted((a, b) => own(b) - own(a)).slice(0, 5);
  return {
    gateway: summary(gateway.asked, took),
    control: summary(control.asked, took),
    slowestOwn: Math.max(0, ...gateway.asked.map(own)),
    worst: worst.map((one) => ({ took: took(one), waitedForCore: one.waited, bareServer: noiseNear(one) })),
    failures: gateway.asked.filter(({ status }) => status !== 200).map(({ status }) => status),
  };
}
