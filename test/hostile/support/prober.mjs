// A process of its own that asks for the /health of what is attacked and a bare server's, each on a connection of its own, every 50 ms.
// The time that the load generator's own event loop adds is not in it. That of a busy machine is known in three ways: the kernel
// tells how long a thread was ready and got no core, and how long a core was taken away by the host of a virtual machine;
// and the bare server is as slow. And no answer is held up for longer by what is attacked than its thread had a core. Arguments: the port and the process id of what is attacked. SIGUSR2 lets it rest, or go on,
// and it says so when nothing is under way any more. On SIGTERM it prints its figures as JSON and ends.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';

const every = 50;
const attackedPid = Number(process.argv[3]);
const bare = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end('{"protocol_version":"v1","status":"ok"}');
}).listen(0, '127.0.0.1');
await once(bare, 'listening');

const attacked = {
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
/** Questions whose answer has not come. */
let open = 0;
process.on('SIGUSR2', () => {
  resting = !resting;
  if (!resting) process.stdout.write('asking\n');
  else tellRest();
});
process.on('SIGTERM', () => {
  stopped = true;
});
process.stdout.write('ready\n');
await Promise.all([askAgainAndAgain(attacked), askAgainAndAgain(control)]);
bare.close();
bare.closeAllConnections();
process.stdout.write(`${JSON.stringify(figures())}\n`);

async function askAgainAndAgain(server) {
  while (!stopped) {
    if (resting) {
      await new Promise((resolve) => setTimeout(resolve, every));
      continue;
    }
    const before = threadTimes();
    const stolenBefore = stolen();
    const from = performance.now();
    open += 1;
    const status = await health(server);
    open -= 1;
    const to = performance.now();
    const after = threadTimes();
    const [onCore, waited] = [after.onCore - before.onCore, after.waited - before.waited];
    server.asked.push({ from, to, status, onCore, waited, stolen: mostOf(stolen(), stolenBefore) });
    tellRest();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, every - (to - from))));
  }
  server.agent.destroy();
}

function tellRest() {
  if (resting && open === 0) process.stdout.write('resting\n');
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

/**
 * Milliseconds so far: that the main thread of what is attacked had a core, and that it and this one were ready and had to wait for
 * one (Linux).
 */
function threadTimes() {
  try {
    const [attacked, own] = [attackedPid, process.pid].map((pid) =>
      readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number),
    );
    return { onCore: attacked[0] / 1e6, waited: (attacked[1] + own[1]) / 1e6 };
  } catch {
    return { onCore: 0, waited: 0 };
  }
}

/** Milliseconds that each core was taken away so far, in steps of ten (Linux). */
function stolen() {
  try {
    const lines = readFileSync('/proc/stat', 'utf8').split('\n');
    return lines.filter((line) => /^cpu\d/.test(line)).map((line) => Number(line.split(' ')[8]) * 10);
  } catch {
    return [];
  }
}
function mostOf(now, before) {
  return Math.max(0, ...now.map((time, core) => time - before[core]));
}

/** The slowest answer of the bare server about the time of another. */
function noiseNear({ from, to }) {
  const near = control.asked.filter((one) => one.to >= from - every && one.from <= to + every);
  return Math.max(0, ...near.map((one) => one.to - one.from));
}

function figures() {
  const took = ({ from, to }) => to - from;
  // The greatest of them, not their sum: a thread that waits for a core waits for a stolen one too.
  const own = (one) =>
    Math.min(one.onCore, Math.max(0, took(one) - Math.max(one.waited, one.stolen, noiseNear(one))));
  const at = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const summary = (asked, time) => {
    const times = asked.map(time).sort((a, b) => a - b);
    return { count: times.length, p50: at(times, 0.5), p99: at(times, 0.99), slowest: at(times, 1) };
  };
  const slowest = attacked.asked.toSorted((a, b) => took(b) - took(a)).slice(0, 5);
  return {
    attacked: summary(attacked.asked, took),
    control: summary(control.asked, took),
    mostOwn: Math.max(0, ...attacked.asked.map(own)),
    slowest: slowest.map((one) => ({
      took: took(one),
      own: own(one),
      onCore: one.onCore,
      waitedForCore: one.waited,
      stolen: one.stolen,
      bareServer: noiseNear(one),
    })),
    failures: attacked.asked.filter(({ status }) => status !== 200).map(({ status }) => status),
  };
}
