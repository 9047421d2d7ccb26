import { createHoumaoClient, isHoumaoError } from '@houmao/sdk/managed-agent';
import { isAlive, type ProcessIdentity, signalProcess } from '../../../foundation/processes.js';
import type { AgentHost } from '../../../launch/agent-host.js';
import type { ServerInstanceRecord } from '../../../server/directory/server-instance.js';
import {
  type ServerPaths,
  serverPaths,
  usualServerPort,
  usualServerRoot,
} from '../../../server/directory/server-paths.js';
import type { Config } from '../../config/config-file.js';
import { reachAdvice } from '../../flags/gateway-flags.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { statusLines } from '../../words/fleet-words.js';
import type { TimeWords } from '../../words/local-time.js';
import { type Output, quoted } from '../../words/terminal-output.js';
import { clientAt, type SeenServer, type ServerSight, seeServer, serversHere } from './see-servers.js';
import { refuseTakenPort, runServer, spawnServer } from './spawn-server.js';

/** The flags that name a server's place; without any of them, every server of this host is meant. */
export interface PlaceFlags {
  root?: string;
  host?: '127.0.0.1' | '0.0.0.0';
  port?: number;
}

/** The flags by which a server joins a fleet. */
export interface FleetFlags {
  /** The addresses of NATS. */
  fleet?: string[];
  fleetCredentials?: string;
  fleetCa?: string;
  fleetReplicas?: string;
  hostName?: string;
}

export interface ServerFlags extends PlaceFlags, FleetFlags {
  foreground?: boolean;
  allowedHost?: string[];
  allowedOrigin?: string[];
  allowedUser?: string[];
  allowPrivateWebhooks?: boolean;
}

/** The time in which a server finishes its answers under way (3 s) and releases its agents. */
const stopMilliseconds = 20_000;
const pollMilliseconds = 50;
/** The time in which a server says which agents it has; a stop does not wait longer for that. */
const countMilliseconds = 3000;

const usualHost = '127.0.0.1';

const listenerOf = ({ host = usualHost, port = usualServerPort }: PlaceFlags) => ({ host, port });

const placeOf = (flags: PlaceFlags, host: AgentHost): ServerPaths =>
  serverPaths(flags.root ?? usualServerRoot(host.runtimeRoot, listenerOf(flags)));

/** Returns the flags that lead to the same place; an empty text for the default one. */
function placeWords(flags: PlaceFlags): string {
  const { host, port } = listenerOf(flags);
  return [
    ...(flags.root === undefined ? [] : [` --root ${quoted(flags.root)}`]),
    ...(host === usualHost ? [] : [` --host ${host}`]),
    ...(port === usualServerPort ? [] : [` --port ${port}`]),
  ].join('');
}

/** Returns the servers that the flags mean: the one at the named place, or else all of this host. */
async function meant(flags: PlaceFlags, host: AgentHost): Promise<SeenServer[]> {
  if (flags.root === undefined && flags.host === undefined && flags.port === undefined)
    return serversHere(host);
  const paths = placeOf(flags, host);
  const sight = await seeServer(paths);
  return sight.state === 'absent' ? [] : [{ paths, sight }];
}

/** `server start`. */
export async function startServer(flags: ServerFlags, host: AgentHost, output: Output): Promise<void> {
  if (flags.foreground && (await servingAt(placeOf(flags, host))) === null) {
    await refuseTakenPort(listenerOf(flags));
    process.exitCode = await runServer(commandLine(placeOf(flags, host), flags), host);
    return;
  }
  const { paths, instance, reused } = await ensureServer(flags, host, output);
  const url = instance.api_base_url;
  const detail = reused
    ? `A server already serves ${paths.root}, at ${url}`
    : `The server serves ${url} (pid ${instance.pid})`;
  output.result({ ...serverAnswer(paths, flags, instance, detail), reused_existing: reused }, [
    detail,
    ...(reused
      ? []
      : [
          `Its pages: ${url}/docs`,
          `Its files: ${paths.root}`,
          output.pastable(`Stop it: houmao-mgr server stop${placeWords(flags)}`),
        ]),
    ...(await fleetLines(url, host, output)),
  ]);
}

/** The time that a server gets to join its fleet before `server start` says how it stands there. */
const joinMilliseconds = 3000;

/** Returns how a server stands in its fleet; nothing for one without a fleet, or without an answer. */
async function fleetLines(url: string, { clock }: AgentHost, output: Output): Promise<string[]> {
  const client = clientAt(url, {});
  const read = () => client.getFleet().catch(() => null);
  const deadline = clock.monotonic() + joinMilliseconds;
  let status = await read();
  while (status?.state === 'connecting' && clock.monotonic() < deadline) {
    await clock.sleep(pollMilliseconds);
    status = await read();
  }
  if (status === null || status.state === 'none') return [];
  return statusLines(status, output.time).slice(0, 1);
}

/** A server that serves, and whether it did so before. */
interface EnsuredServer {
  readonly paths: ServerPaths;
  readonly instance: ServerInstanceRecord;
  readonly reused: boolean;
}

/**
 * Starts the server of a place in the background, unless it serves already.
 *
 * @throws {CommandFailure} when it runs but gives no usable answer, or its port is taken
 */
export async function ensureServer(
  flags: ServerFlags,
  host: AgentHost,
  output: Output,
): Promise<EnsuredServer> {
  const paths = placeOf(flags, host);
  const serving = await servingAt(paths);
  if (serving !== null) return { paths, instance: serving, reused: true };
  await refuseTakenPort(listenerOf(flags));
  output.progress('Starting the server');
  for (const advice of reachAdvice(flags.host, flags.allowedHost)) output.progress(advice);
  const { instance } = await spawnServer(paths, commandLine(paths, flags), host);
  return { paths, instance, reused: false };
}

/** Returns the server that serves a place; null where none does. @throws {CommandFailure} for one without a usable answer. */
async function servingAt(paths: ServerPaths): Promise<ServerInstanceRecord | null> {
  const sight = await seeServer(paths);
  if (sight.state === 'silent') throw new CommandFailure(silence(sight));
  return sight.state === 'serving' ? sight.instance : null;
}

/** `server status`. */
export async function serverStatus(flags: PlaceFlags, host: AgentHost, output: Output): Promise<void> {
  const seen = await meant(flags, host);
  const [first] = seen;
  if (!first) {
    const paths = placeOf(flags, host);
    const detail =
      flags.root === undefined ? 'No server is running' : `No server is running for ${paths.root}`;
    output.result(serverAnswer(paths, flags, null, detail), [
      output.pastable(`${detail}. Start one: houmao-mgr server start${placeWords(flags)}`),
    ]);
    return;
  }
  const [value, ...others] = seen.map(({ paths, sight }) => ({
    ...serverAnswer(
      paths,
      flags,
      sight.instance,
      standing(sight, (iso) => iso),
    ),
    success: sight.state === 'serving',
  }));
  output.result(
    { ...value, others },
    seen.flatMap(({ paths, sight }) => [standing(sight, output.time), `Its files: ${paths.root}`]),
  );
}

const standing = (sight: SeenServer['sight'], time: TimeWords): string =>
  sight.state === 'silent'
    ? silence(sight)
    : `The server serves ${sight.instance.api_base_url} (pid ${sight.instance.pid}) since ${time(sight.instance.started_at_utc)}`;

/** `server stop`. */
export async function stopServer(flags: PlaceFlags, host: AgentHost, output: Output): Promise<void> {
  const [seen, ...more] = await meant(flags, host);
  if (seen && more.length > 0) throw severalRun([seen, ...more]);
  if (!seen) {
    const paths = placeOf(flags, host);
    const detail =
      flags.root === undefined ? 'No server is running' : `No server is running for ${paths.root}`;
    output.result(serverAnswer(paths, flags, null, detail), [`${detail}.`]);
    return;
  }
  const { paths, sight } = seen;
  const agents = await countAgents(sight);
  output.progress('Stopping the server');
  await askToEnd(sight);
  if (!(await hasEnded(sight.process, host)))
    throw new CommandFailure(
      `The server (pid ${sight.process.pid}) was asked to stop and is still running after ${stopMilliseconds / 1000} s`,
    );
  const detail = `Stopped the server of ${paths.root}${goOnWords(agents)}`;
  output.result(serverAnswer(paths, flags, null, detail), [`${detail}.`]);
}

/** Counts the agents of a server that is about to stop; null where it does not say. */
const countAgents = async ({ state, instance }: SeenServer['sight']): Promise<number | null> =>
  state === 'serving'
    ? createHoumaoClient({ baseUrl: instance.api_base_url })
        .listAgents({ timeoutMs: countMilliseconds, maxRetries: 0 })
        .then(
          ({ agents }) => agents.length,
          () => null,
        )
    : null;

/** Pure: says what a server leaves running, by the number of its agents; null where that is not known. */
export function goOnWords(agents: number | null): string {
  if (agents === 0) return '';
  const whose = agents === null ? 'any agents of it' : 'its agents';
  return `; ${whose}, their turns and their gateways go on`;
}

const severalRun = (seen: readonly SeenServer[]): CommandFailure =>
  new CommandFailure(`${seen.length} servers run on this host; choose one with --root.`, exitCodes.usage, {
    errorCode: 'several_servers',
    remedies: seen.map(({ paths, sight }) => [
      `the one at ${sight.instance.api_base_url}`,
      `houmao-mgr server stop --root ${quoted(paths.root)}`,
    ]),
  });

/** Asks a server to stop; one that gives no answer gets a signal. */
async function askToEnd(sight: SeenServer['sight']): Promise<void> {
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
  `The server at ${instance.api_base_url} (pid ${instance.pid}) is running but gives no usable answer: ${detail}`;

/** Returns the answer for programs; its names are those of the older implementation. */
const serverAnswer = (
  paths: ServerPaths,
  { port = usualServerPort, foreground }: ServerFlags,
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
  ...['--root', paths.root, '--host', listenerOf(flags).host, '--port', String(listenerOf(flags).port)],
  ...(flags.allowedHost ?? []).flatMap((name) => ['--allowed-host', name]),
  ...(flags.allowedOrigin ?? []).flatMap((origin) => ['--allowed-origin', origin]),
  ...(flags.allowedUser ?? []).flatMap((user) => ['--allowed-user', user]),
  ...(flags.allowPrivateWebhooks ? ['--allow-private-webhooks'] : []),
  ...(flags.fleet ?? []).flatMap((url) => ['--fleet', url]),
  ...(flags.fleetCredentials === undefined ? [] : ['--fleet-credentials', flags.fleetCredentials]),
  ...(flags.fleetCa === undefined ? [] : ['--fleet-ca', flags.fleetCa]),
  ...(flags.fleetReplicas === undefined ? [] : ['--fleet-replicas', flags.fleetReplicas]),
  ...(flags.hostName === undefined ? [] : ['--host-name', flags.hostName]),
];

/** The flags by which a server joins the fleet of config.yaml; none where it names no fleet, or the environment names one. */
export const fleetFlagsOf = (
  { fleet }: Pick<Config, 'fleet'>,
  { HOUMAO_FLEET }: NodeJS.ProcessEnv,
): FleetFlags =>
  fleet === null || HOUMAO_FLEET
    ? {}
    : {
        fleet: [fleet.url],
        ...(fleet.credentials !== null && { fleetCredentials: fleet.credentials }),
        ...(fleet.ca !== null && { fleetCa: fleet.ca }),
        ...(fleet.hostName !== null && { hostName: fleet.hostName }),
        ...(fleet.replicas !== null && { fleetReplicas: String(fleet.replicas) }),
      };
