import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gatewayProgram, serverProgram } from '../../test/torture/session.mjs';

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * CPU time that the threads of a process have used, in milliseconds, as the scheduler counts it: in nanoseconds, where
 * /proc/<pid>/stat counts in steps of 10 ms. A thread that has ended is not in it; Node keeps its threads.
 */
export function cpuOf(pid) {
  const folder = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(folder).map((thread) =>
    Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

export const residentMegabytes = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

// A bench that fails leaves no server behind.
const servers = new Set();
process.once('exit', () => {
  for (const child of servers) child.kill('SIGKILL');
});
function kept(child) {
  servers.add(child);
  child.once('exit', () => servers.delete(child));
  return child;
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts a gateway and measures, in milliseconds, until `/health` answers. */
export const startGateway = (session) =>
  startSurface(session, gatewayProgram, ['--gateway-root', session.paths.root, '--host', '127.0.0.1']);

/** Starts a managed-agent server over the folder of a session, in the same way. */
export const startServer = (session, flags = []) =>
  startSurface(session, serverProgram, [
    ...['--root', join(session.folder, 'server'), '--host', '127.0.0.1'],
    ...flags,
  ]);

async function startSurface(session, program, flags) {
  const port = await freePort();
  const started = performance.now();
  const child = kept(
    spawn(process.execPath, [program, ...flags, '--port', String(port)], {
      env: session.environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null) throw new Error(`${basename(program)} exited with ${child.exitCode}`);
    await sleep(5);
  }
  const healthMilliseconds = performance.now() - started;
  return {
    child,
    port,
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    started,
    healthMilliseconds,
    stop: (signal = 'SIGTERM') => end(child, signal),
  };
}

async function isHealthy(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

export async function startLimitServer(mode) {
  const child = kept(
    spawn(process.execPath, [beside('limit-server.mjs'), mode], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, port: Number(line), pid: child.pid, stop: () => end(child, 'SIGTERM') };
}

async function end(child, signal) {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Drives load from a process of its own; also says how much CPU time the server took for one request. */
export async function drive(server, { connections, seconds, method, path, body }) {
  const before = cpuOf(server.pid);
  const args = [
    beside('load-generator.mjs'),
    server.port,
    connections,
    seconds,
    method,
    path,
    ...(body === undefined ? [] : [body]),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args.map(String), { maxBuffer: 1 << 26 });
  const seen = JSON.parse(stdout);
  return {
    ...seen,
    perSecond: seen.count / seen.elapsed,
    cpuMilliseconds: (cpuOf(server.pid) - before) / seen.count,
  };
}

export async function driveCommits(clients, seconds) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    beside('limit-commits.mjs'),
    String(clients),
    String(seconds),
  ]);
  const seen = JSON.parse(stdout);
  return {
    ...seen,
    perSecond: seen.count / seen.elapsed,
    cpuMilliseconds: seen.cpuMilliseconds / seen.count,
  };
}
