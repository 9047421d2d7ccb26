import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findAgentTmux } from '../agent/local/agent-place.js';
import type { Clock } from '../foundation/clock.js';
import { blockedPort } from '../foundation/fetch-ports.js';
import { type ListenPlace, listenObstacle } from '../foundation/listening.js';
import { makeFolder } from '../foundation/make-folder.js';
import { identify } from '../foundation/processes.js';
import { wordsOfLine } from '../foundation/program-line.js';
import { startOf } from '../foundation/programs.js';
import {
  type CurrentInstance,
  currentInstanceFile,
  type ExecutionMode,
} from '../session/current-instance.js';
import { attachFile, defaultExecutionMode, desiredConfigFile } from '../session/gateway-start-files.js';
import { readManifest } from '../session/manifest.js';
import { turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { Tmux } from '../terminal/tmux.js';
import { type AgentHost, gatewayEnvironment } from './agent-host.js';
import type { GatewaySettings } from './gateway-settings.js';
import { LaunchFault } from './launch-fault.js';
import { endGatewayProcess, gatewayProcess, liveGateway } from './live-gateway.js';

/** The settings with which a gateway will be started: the request, combined with the earlier settings. */
interface StartPlan {
  readonly manifest: Manifest;
  readonly mode: ExecutionMode;
  readonly listener: ListenPlace;
}

/** @throws {LaunchFault} for a port that clients could not call. */
export function planStart(
  paths: SessionPaths,
  settings: GatewaySettings,
  { environment }: Pick<AgentHost, 'environment'>,
): StartPlan {
  const manifest = readManifest(paths.manifest);
  const desired = desiredConfigFile.read(paths.desiredConfig);
  return {
    manifest,
    mode: settings.mode ?? desired?.desired_execution_mode ?? defaultExecutionMode(manifest.backend),
    listener: resolveListener(paths, settings, environment),
  };
}

/**
 * Checks whether a gateway could be started with these settings, before the running one is ended for it; the port of that one
 * will be free then. Changes nothing.
 *
 * @throws {LaunchFault} that names the obstacle.
 * @throws {TmuxFault}
 */
export async function checkStart(
  paths: SessionPaths,
  settings: GatewaySettings,
  host: AgentHost,
): Promise<void> {
  const { manifest, mode, listener } = planStart(paths, settings, host);
  if (mode === 'tmux_auxiliary_window') await windowTmux(manifest, host.tmux);
  const before = currentInstanceFile.readIfUsable(paths.currentInstance);
  const isItsOwn = before?.port === listener.port && gatewayProcess(before.pid, paths) !== null;
  const obstacle = listener.port === 0 || isItsOwn ? null : await listenObstacle(listener);
  if (obstacle !== null) throw new LaunchFault(`Cannot listen: ${obstacle}`);
}

/**
 * Returns the tmux server on which a gateway gets a window. @throws {LaunchFault} if the agent has no session there. @throws
 * {TmuxFault}
 */
async function windowTmux(manifest: Manifest, usual: Tmux): Promise<Tmux> {
  const tmux = turnHostOf(manifest) === 'tmux' ? await findAgentTmux(manifest, usual) : null;
  if (!tmux)
    throw new LaunchFault('The agent has no tmux session for a window; start the gateway with --background.');
  return tmux;
}

/**
 * Chooses host and port: the request, the environment, the earlier settings, then 127.0.0.1 and any port.
 * @throws {LaunchFault} for a port that clients could not call.
 */
function resolveListener(
  paths: SessionPaths,
  settings: GatewaySettings,
  environment: NodeJS.ProcessEnv,
): ListenPlace {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  const former = attachFile.readIfUsable(paths.attach);
  const fromEnvironment = environment.HOUMAO_AGENT_GATEWAY_PORT;
  const port =
    settings.port ??
    (fromEnvironment ? Number(fromEnvironment) : (desired?.desired_port ?? former?.desired_port ?? 0));
  const blocked = blockedPort(port);
  if (blocked !== null)
    throw new LaunchFault(`${blocked} Start the gateway on another one, or on 0 for any.`);
  return {
    host:
      settings.host ??
      environment.HOUMAO_AGENT_GATEWAY_HOST ??
      desired?.desired_host ??
      former?.desired_host ??
      '127.0.0.1',
    port,
  };
}

/** The time within which a gateway must publish itself. */
const startMilliseconds = 10_000;
const pollMilliseconds = 20;
const watchPaneMilliseconds = 500;

/** The gateway to start, and its session. */
export interface GatewayStart {
  paths: SessionPaths;
  manifest: Manifest;
  listener: ListenPlace;
  flags: readonly string[];
  host: AgentHost;
}

const commandOf = async ({ paths, listener, flags, host }: GatewayStart): Promise<string[]> => [
  ...(await startOf('houmao-gateway', host.environment)),
  '--gateway-root',
  paths.root,
  '--host',
  listener.host,
  '--port',
  String(listener.port),
  ...flags,
];

/** Starts the gateway as a background process. @throws {LaunchFault} whose message says why it did not start. */
export async function spawnDetached(start: GatewayStart): Promise<CurrentInstance> {
  const { paths, manifest, host } = start;
  const [program = '', ...args] = await commandOf(start);
  makeFolder(dirname(paths.log), 0o700);
  const log = openSync(paths.log, 'a', 0o600);
  const logged = statSync(paths.log).size;
  const child = spawn(program, args, {
    cwd: existsSync(manifest.working_directory) ? manifest.working_directory : paths.root,
    env: gatewayEnvironment(host),
    detached: true,
    // The gateway writes its log into the file itself; standard output only shows where it listens.
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const gone = new AbortController();
  exited.then(() => gone.abort()).catch(() => gone.abort());
  const instance = await published(start, ({ pid }) => pid === child.pid, gone.signal);
  if (instance) {
    child.unref();
    return instance;
  }
  if (gone.signal.aborted) throw new LaunchFault(lastWords(paths, logged, await exited));
  const late = child.pid === undefined ? null : identify(child.pid);
  if (late) await endGatewayProcess(late, 'its own time', host.clock);
  throw tooLate(paths);
}

/** Exports the variables that only the window itself knows, then becomes the gateway; early errors go to the log. */
const windowScript = `export HOUMAO_GATEWAY_EXECUTION_MODE=tmux_auxiliary_window
shown() { tmux display-message -p -t "$TMUX_PANE" "$1"; }
export HOUMAO_GATEWAY_TMUX_WINDOW_ID="$(shown '#{window_id}')"
export HOUMAO_GATEWAY_TMUX_WINDOW_INDEX="$(shown '#{window_index}')"
export HOUMAO_GATEWAY_TMUX_PANE_ID="$(shown '#{pane_id}')"
log="$1"; shift; exec "$@" 2>>"$log"`;

/** Starts the gateway in a window of the agent's tmux session, beside the agent's own. @throws {LaunchFault} */
export async function spawnInWindow(start: GatewayStart): Promise<CurrentInstance> {
  const { paths, manifest, host } = start;
  const { clock } = host;
  const tmux = await windowTmux(manifest, host.tmux);
  makeFolder(dirname(paths.log), 0o700);
  closeSync(openSync(paths.log, 'a', 0o600));
  const logged = statSync(paths.log).size;
  const directory = existsSync(manifest.working_directory) ? manifest.working_directory : paths.root;
  const command = ['sh', '-c', windowScript, 'sh', paths.log, ...(await commandOf(start))];
  const variables = houmaoVariables(gatewayEnvironment(host));
  const window = await tmux.newWindow(
    manifest.tmux_session_name ?? '',
    'gateway',
    directory,
    variables,
    command,
  );
  if (window.windowIndex === '0') {
    await tmux.killPane(window.paneId);
    throw new LaunchFault('tmux gave the gateway window 0, which is the window of the agent.');
  }
  const gone = new AbortController();
  const served = new AbortController();
  const watching = watchPane(tmux, window.paneId, clock, served.signal).then(() => gone.abort());
  const isIt = (instance: CurrentInstance): boolean =>
    instance.tmux_window_id === window.windowId && instance.tmux_pane_id === window.paneId;
  const instance = await published(start, isIt, gone.signal);
  const vanished = gone.signal.aborted;
  served.abort();
  await watching;
  if (instance) return instance;
  if (vanished) throw new LaunchFault(lastWords(paths, logged, null));
  await tmux.killPane(window.paneId).catch(() => undefined);
  throw tooLate(paths);
}

/** Resolves when the pane is gone, or when `enough` aborts. */
async function watchPane(tmux: Tmux, paneId: string, clock: Clock, enough: AbortSignal): Promise<void> {
  const lives = async (): Promise<boolean> => {
    try {
      return (await tmux.panes()).some((pane) => pane.paneId === paneId);
    } catch {
      // If tmux does not answer, it is asked again.
      return true;
    }
  };
  while (!enough.aborted && (await lives())) await clock.sleep(watchPaneMilliseconds, enough);
}

/**
 * Returns the variables to pass on: a tmux window gets the environment of the tmux server, which any program may have started.
 */
const houmaoVariables = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => /^HOUMAO_GLOBAL_\w+$/.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** Waits until the gateway that was started has published itself and answers; null if it has ended, or takes too long. */
async function published(
  { paths, host: { clock } }: GatewayStart,
  isIt: (instance: CurrentInstance) => boolean,
  gone: AbortSignal,
): Promise<CurrentInstance | null> {
  const deadline = clock.monotonic() + startMilliseconds;
  while (!gone.aborted && clock.monotonic() < deadline) {
    const instance = await liveGateway(paths);
    if (instance && isIt(instance)) return instance;
    await clock.sleep(pollMilliseconds, gone);
  }
  return null;
}

function lastWords(paths: SessionPaths, logged: number, code: number | null): string {
  const said = wordsOfLine(readFileSync(paths.log, 'utf8').slice(logged).trim().split('\n').at(-1) ?? '');
  const how = code === null ? '' : ` with code ${code}`;
  return said || `The gateway exited at once${how}; see ${paths.log}`;
}

const tooLate = (paths: SessionPaths): LaunchFault =>
  new LaunchFault(`The gateway was not ready within ${startMilliseconds / 1000} s; see ${paths.log}`);
