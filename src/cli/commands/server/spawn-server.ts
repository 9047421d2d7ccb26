import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createHoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { listenObstacle } from '../../../foundation/listening.js';
import { makeFolder } from '../../../foundation/make-folder.js';
import { wordsOfLine } from '../../../foundation/program-line.js';
import { startOf } from '../../../foundation/programs.js';
import { type AgentHost, gatewayEnvironment } from '../../../launch/agent-host.js';
import { managementEnvironment } from '../../../launch/mail-server.js';
import type { ServerPaths } from '../../../server/directory/server-paths.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { quoted } from '../../words/terminal-output.js';
import { type ServerSight, seeServer } from './see-servers.js';

/** A server must serve within this time. */
const startMilliseconds = 10_000;
const pollMilliseconds = 50;

/** Starts a server in the background and waits until it serves. @throws {CommandFailure} with the server's own words. */
export async function spawnServer(
  paths: ServerPaths,
  flags: readonly string[],
  host: AgentHost,
): Promise<Extract<ServerSight, { state: 'serving' }>> {
  const { stdoutLog, stderrLog } = paths;
  const [node, program] = await startOf('houmao-server', host.environment);
  makeFolder(dirname(stdoutLog), 0o700);
  const [stdout, stderr] = [openSync(stdoutLog, 'a', 0o600), openSync(stderrLog, 'a', 0o600)];
  const said = statSync(stderrLog).size;
  const child = spawn(node, [program, ...flags], {
    cwd: paths.root,
    env: serverEnvironment(host),
    detached: true,
    stdio: ['ignore', stdout, stderr],
  });
  for (const log of [stdout, stderr]) closeSync(log);
  const ended = new AbortController();
  const exit = once(child, 'exit').finally(() => ended.abort());
  exit.catch(() => undefined);
  const deadline = host.clock.monotonic() + startMilliseconds;
  while (!ended.signal.aborted && host.clock.monotonic() < deadline) {
    const sight = await seeServer(paths);
    if (sight.state === 'serving' && sight.instance.pid === child.pid) {
      child.unref();
      return sight;
    }
    await host.clock.sleep(pollMilliseconds, ended.signal);
  }
  if (!ended.signal.aborted) {
    child.kill('SIGTERM');
    throw new CommandFailure(
      `The server was not ready within ${startMilliseconds / 1000} s and was asked to stop; see ${stderrLog}`,
    );
  }
  const words = readFileSync(stderrLog, 'utf8').slice(said).trim().split('\n').at(-1) ?? '';
  throw new CommandFailure(wordsOfLine(words) || `The server exited at once; see ${stderrLog}`);
}

/**
 * Returns the environment of a server, with access to the mail server: it makes accounts there itself for agents that it
 * launches.
 */
const serverEnvironment = (host: AgentHost): NodeJS.ProcessEnv => ({
  ...gatewayEnvironment(host),
  ...managementEnvironment(host.management),
});

/** Runs a server with the terminal of this command, until it ends. @returns its exit code. */
export async function runServer(flags: readonly string[], host: AgentHost): Promise<number> {
  const [node, program] = await startOf('houmao-server', host.environment);
  const child = spawn(node, [program, ...flags], {
    env: serverEnvironment(host),
    stdio: 'inherit',
  });
  // Ctrl-C reaches both programs, since they share a terminal; signals to this command alone are forwarded.
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  process.on('SIGINT', () => undefined);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

const answerMilliseconds = 2000;

/**
 * Checks, before a server is started, whether another server has its port. If any other program has it, the new server reports
 * that itself.
 *
 * @throws {CommandFailure} that names the other server.
 */
export async function refuseTakenPort(place: { host: string; port: number }): Promise<void> {
  if (place.port === 0 || (await listenObstacle(place)) === null) return;
  const baseUrl = `http://127.0.0.1:${place.port}`;
  const client = createHoumaoClient({ baseUrl, timeoutMs: answerMilliseconds, maxRetries: 0 });
  const holder = await client.getCurrentInstance().catch((error: unknown) => {
    if (isHoumaoError(error)) return null;
    throw error;
  });
  if (holder === null) return;
  throw new CommandFailure(
    `Another houmao-server serves at ${baseUrl} (pid ${holder.pid}, ${holder.server_root}).`,
    exitCodes.failed,
    {
      errorCode: 'port_taken',
      remedies: [
        ['stop it', `houmao-mgr server stop --root ${quoted(holder.server_root)}`],
        ['or use any free port', 'houmao-mgr server start --port 0'],
      ],
    },
  );
}
