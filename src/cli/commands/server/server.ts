import { createHoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { isAlive, type ProcessIdentity } from '../../../foundation/process-identity.js';
import { signalProcess } from '../../../foundation/signals.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import type { ServerInstanceRecord } from '../../../server/directory/server-instance.js';
import {
  type ServerPaths,
  serverPaths,
  usualServerPort,
  usualServerRoot,
} from '../../../server/directory/server-paths.js';
import { CommandFailure } from '../../words/command-failure.js';
import type { Output } from '../../words/terminal-output.js';
import { type ServerSight, seeServer } from './see-server.js';
import { runServer, spawnServer } from './spawn-server.js';

export interface ServerFlags {
  root?: string;
  host: '127.0.0.1' | '0.0.0.0';
  port: number;
  foreground?: boolean;
  allowedHost?: string[];
  allowedOrigin?: string[];
  allowedUser?: string[];
}

/** A server answers what is under way (3 s) and lets go of its agents in this time. */
const stopMilliseconds = 20_000;
const pollMilliseconds = 50;

const placeOf = (flags: ServerFlags, host: AgentHost): ServerPaths =>
  serverPaths(flags.root ?? usualServerRoot(host.runtimeRoot, flags));

/** The flags that lead to the same place; nothing for the usual one. */
const placeWords = ({ root, host, port }: ServerFlags): string =>
  [
    ...(root === undefined ? [] : [` --root ${root}`]),
    ...(host === '127.0.0.1' ? [] : [` --host ${host}`]),
    ...(port === usualServerPort ? [] : [` --port ${port}`]),
  ].join('');

/** `server start`. */
export async function startServer(flags: ServerFlags, host: AgentHost, output: Output): Promise<void> {
  const paths = placeOf(flags, host);
  const sight = await seeServer(paths);
  if (sight.state === 'silent') throw new CommandFailure(silence(sight));
  if (sight.state === 'serving') {
    const detail = `A server serves ${paths.root} already, at ${sight.instance.api_base_url}`;
    output.result({ ...told(paths, flags, sight.instance, detail), reused_existing: true }, [detail]);
    return;
  }
  const command = commandLine(paths, flags);
  if (flags.foreground) {
    process.exitCode = await runServer(command, host);
    return;
  }
  output.progress('Starting the server');
  const { instance } = await spawnServer(paths, command, host);
  const detail = `The server serves ${instance.api_base_url} (pid ${instance.pid})`;
  output.result({ ...told(paths, flags, instance, detail), reused_existing: false }, [
    detail,
    `Its pages: ${instance.api_base_url}/docs`,
    `Its files: ${paths.root}`,
  ]);
}

/** `server status`. */
export async function serverStatus(flags: ServerFlags, host: AgentHost, output: Output): Promise<void> {
  const paths = placeOf(flags, host);
  const sight = await seeServer(paths);
  if (sight.state === 'absent') {
    const detail = `No server serves ${paths.root}`;
    output.result(told(paths, flags, null, detail), [
      output.pastable(`${detail}. Start one: houmao-mgr server start${placeWords(flags)}`),
    ]);
    return;
  }
  const { instance } = sight;
  const detail =
    sight.state === 'silent'
      ? silence(sight)
      : `The server serves ${instance.api_base_url} (pid ${instance.pid}) since ${instance.started_at_utc}`;
  const value = told(paths, flags, instance, detail);
  output.result({ ...value, success: sight.state === 'serving' }, [detail, `Its files: ${paths.root}`]);
}

/** `server stop`. */
export async function stopServer(flags: ServerFlags, host: AgentHost, output: Output): Promise<void> {
  const paths = placeOf(flags, host);
  const sight = await seeServer(paths);
  if (sight.state === 'absent') {
    const detail = `No server serves ${paths.root}`;
    output.result(told(paths, flags, null, detail), [`${detail}.`]);
    return;
  }
  output.progress('Stopping the server');
  await askToEnd(sight);
  if (!(await hasEnded(sight.process, host)))
    throw new CommandFailure(
      `The server (pid ${sight.process.pid}) was told to end and has not done so within ${stopMilliseconds / 1000} s`,
    );
  const detail = `Stopped the server of ${paths.root}; its agents, their turns and their gateways go on`;
  output.result(told(paths, flags, null, detail), [`${detail}.`]);
}

/** One that gives no answer is told by a signal. */
async function askToEnd(sight: Exclude<ServerSight, { state: 'absent' }>): Promise<void> {
  const { instance, process } = sight;
  try {
    if (sight.state === 'serving') {
      await createHoumaoClient({ baseUrl: instance.api_base_url }).shutdownServer();
      return;
    }
  } catch (error) {
    if (!isHoumaoError(error)) throw error;
  }
  signalProcess(process.pid, 'SIGTERM');
}

async function hasEnded(process: ProcessIdentity, { clock }: AgentHost): Promise<boolean> {
  const deadline = clock.monotonic() + stopMilliseconds;
  while (isAlive(process) && clock.monotonic() < deadline) await clock.sleep(pollMilliseconds);
  return !isAlive(process);
}

const silence = ({ instance, detail }: Extract<ServerSight, { state: 'silent' }>): string =>
  `The server at ${instance.api_base_url} (pid ${instance.pid}) lives and gives no usable answer: ${detail}`;

/** What programs are told; the names are those of the older implementation. */
const told = (
  paths: ServerPaths,
  { port, foreground }: ServerFlags,
  instance: ServerInstanceRecord | null,
  detail: string,
): object => ({
  success: true,
  running: instance !== null,
  mode: foreground ? 'foreground' : 'detached',
  api_base_url: instance?.api_base_url ?? (port === 0 ? null : `http://127.0.0.1:${port}`),
  detail,
  pid: instance?.pid ?? null,
  server_root: paths.root,
  started_at_utc: instance?.started_at_utc ?? null,
  current_instance: instance,
  log_paths: { stdout: paths.stdoutLog, stderr: paths.stderrLog },
});

const commandLine = (paths: ServerPaths, flags: ServerFlags): string[] => [
  ...['--root', paths.root, '--host', flags.host, '--port', String(flags.port)],
  ...(flags.allowedHost ?? []).flatMap((name) => ['--allowed-host', name]),
  ...(flags.allowedOrigin ?? []).flatMap((origin) => ['--allowed-origin', origin]),
  ...(flags.allowedUser ?? []).flatMap((user) => ['--allowed-user', user]),
];
