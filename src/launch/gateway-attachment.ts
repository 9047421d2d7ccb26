import { basename } from 'node:path';
import { findAgentTmux } from '../agent/local/agent-place.js';
import { tryLock } from '../foundation/directory-lock.js';
import { UnusableFile } from '../foundation/faults.js';
import {
  type CurrentInstance,
  currentInstanceFile,
  withdrawCurrentInstance,
} from '../session/current-instance.js';
import {
  attachContractOf,
  attachFile,
  changeDesiredConfig,
  desiredConfigFile,
  publishAttachContract,
} from '../session/gateway-start-files.js';
import { changeKeeping } from '../session/keeping.js';
import { readManifest } from '../session/manifest.js';
import { attachIdentityOf, turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { writeOfflineState } from '../session/offline-state.js';
import { noteGateway } from '../session/registry.js';
import type { RegistryRecord } from '../session/registry-record.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { ListedPane } from '../terminal/pane-listing.js';
import type { Tmux } from '../terminal/tmux.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import type { AgentHost } from './agent-host.js';
import type { GatewaySettings } from './gateway-settings.js';
import { planStart, spawnDetached, spawnInWindow } from './gateway-start.js';
import {
  endGatewayProcess,
  type GatewayPatience,
  type GatewayProbe,
  gatewayProcess,
  liveGateway,
  urlOf,
} from './live-gateway.js';

export interface Attached {
  url: string;
  instance: CurrentInstance;
  /** False if a gateway was there already. */
  started: boolean;
}

/**
 * Starts a gateway and waits until it serves. A gateway that serves already is not touched.
 * @param starting is called when one is going to be started
 * @throws Error that says why it did not start.
 */
export async function attachGateway(
  paths: SessionPaths,
  settings: GatewaySettings,
  host: AgentHost,
  starting: () => void = () => undefined,
): Promise<Attached> {
  const present = await liveGateway(paths);
  if (present) return { url: urlOf(present), instance: present, started: false };
  const { manifest, mode, listener } = planStart(paths, settings, host);
  starting();
  // The gateway reads these when it starts.
  if (settings.diagnosticLog !== null) switchDiagnosticLog(paths, settings.diagnosticLog);
  changeKeeping(paths.keeping, settings.keeping);
  const start = { paths, manifest, listener, flags: settings.flags, host };
  const instance = await (mode === 'tmux_auxiliary_window' ? spawnInWindow(start) : spawnDetached(start));
  changeDesiredConfig(paths.desiredConfig, {
    desired_execution_mode: mode,
    desired_host: instance.host,
    desired_port: instance.port,
  });
  await announceGateway(manifest, host, {
    host: instance.host,
    port: instance.port,
    state_path: paths.state,
    protocol_version: instance.protocol_version,
  });
  return { url: urlOf(instance), instance, started: true };
}

/** Switches the diagnostic log; its sizes stay as they were set. */
function switchDiagnosticLog({ desiredConfig }: SessionPaths, enabled: boolean): void {
  const before = desiredConfigFile.read(desiredConfig)?.desired_diagnostic_logging;
  changeDesiredConfig(desiredConfig, {
    desired_diagnostic_logging: { max_bytes: 1024 * 1024, backup_count: 5, ...before, enabled },
  });
}

/** The time limit for the lock: others hold it only briefly, and the wait blocks the event loop. */
const lockPatienceMilliseconds = 100;

/** The result of detaching a gateway. */
interface DetachedGateway {
  /** False if none was running; the files are corrected nevertheless. */
  stopped: boolean;
  /** Null if it could not be read. */
  manifest: Manifest | null;
  /** A sentence for each step that failed; empty if all succeeded. */
  leftUndone: string[];
}

/**
 * Ends the gateway of a session and updates its files to the state without one. The gateway's own files name the process to end;
 * the manifest is needed only to update other programs.
 * @throws {UnusableFile} if a gateway runs and its own record cannot be read: it is then left running.
 */
export async function detachGateway(paths: SessionPaths, host: AgentHost): Promise<DetachedGateway> {
  const instance = runningInstance(paths);
  const process = instance && gatewayProcess(instance.pid, paths);
  if (process) await endGatewayProcess(process, await stopPatience(paths), host.clock);
  const { manifest, leftUndone } = await putRight(paths, instance, host);
  return { stopped: process !== null, manifest, leftUndone };
}

/** A gateway that does not answer would not end its turn properly either, so it gets less time. */
const stopPatience = async (paths: SessionPaths): Promise<GatewayPatience> =>
  (await liveGateway(paths)) ? 'its own time' : 'short';

/**
 * Removes the records of a gateway that has certainly ended: its process is gone, and none has replaced it. A gateway that merely
 * does not answer is not touched.
 */
export async function forgetDeadGateway(
  paths: SessionPaths,
  sight: GatewayProbe,
  host: AgentHost,
): Promise<void> {
  if (sight.state !== 'silent' || gatewayProcess(sight.instance.pid, paths)) return;
  if (currentInstanceFile.readIfUsable(paths.currentInstance)?.pid !== sight.instance.pid) return;
  await putRight(paths, sight.instance, host);
}

/** After the end of a gateway: closes its pane, and updates files, registry and tmux session. */
async function putRight(
  paths: SessionPaths,
  ended: CurrentInstance | null,
  host: AgentHost,
): Promise<Pick<DetachedGateway, 'manifest' | 'leftUndone'>> {
  const leftUndone: string[] = [];
  const manifest = usableManifest(paths, leftUndone);
  if (ended && manifest) await closePane(ended, manifest, host.tmux);
  const alone = withdrawFiles(paths, ended, manifest, leftUndone);
  // A gateway that has started meanwhile is announced by its attacher.
  if (alone && manifest)
    await announceGateway(manifest, host, null).catch((error: unknown) => noteUnusable(error, leftUndone));
  return { manifest, leftUndone };
}

/**
 * Withdraws the published files. It holds the gateway's lock and waits for nothing meanwhile: a gateway that is just starting
 * waits for that lock, but not for long (docs/decisions.md#trust-after-health).
 * @returns false if another gateway has replaced the ended one: its files are not touched.
 */
function withdrawFiles(
  paths: SessionPaths,
  ended: CurrentInstance | null,
  manifest: Manifest | null,
  leftUndone: string[],
): boolean {
  const lock = tryLock(paths.lock, undefined, lockPatienceMilliseconds);
  if (!lock) return false;
  try {
    const published = currentInstanceFile.readIfUsable(paths.currentInstance);
    if (published && published.pid !== ended?.pid) return false;
    withdrawCurrentInstance(paths);
    if (manifest) writeDetached(paths, manifest, leftUndone);
    return true;
  } finally {
    lock.release();
  }
}

function usableManifest(paths: SessionPaths, leftUndone: string[]): Manifest | null {
  try {
    return readManifest(paths.manifest);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    leftUndone.push(
      `${paths.manifest} could not be read (${error.reason}): ${paths.state} and the other files that say where the gateway is were left as they are.`,
    );
    return null;
  }
}

function writeDetached(paths: SessionPaths, manifest: Manifest, leftUndone: string[]): void {
  try {
    writeOfflineState(paths, manifest, attachIdentityOf(manifest, basename(paths.root)));
  } catch (error) {
    noteUnusable(error, leftUndone);
  }
  const former = attachFile.readIfUsable(paths.attach);
  const desired = { host: former?.desired_host ?? null, port: former?.desired_port ?? null };
  publishAttachContract(paths, attachContractOf(manifest, paths, desired), null);
}

/** @throws {UnusableFile} if a gateway runs and its record cannot be read: the process to stop is unknown. */
function runningInstance(paths: SessionPaths): CurrentInstance | null {
  try {
    return currentInstanceFile.read(paths.currentInstance);
  } catch (error) {
    const lock = tryLock(paths.lock);
    lock?.release();
    if (lock && error instanceof UnusableFile) return null;
    throw error;
  }
}

/** Closes the pane that outlived its gateway. On another server the same id belongs to another pane, with another program. */
async function closePane(instance: CurrentInstance, manifest: Manifest, usual: Tmux): Promise<void> {
  if (!instance.tmux_pane_id) return;
  try {
    const tmux = await findAgentTmux(manifest, usual);
    const isIt = ({ paneId, status }: ListedPane): boolean =>
      paneId === instance.tmux_pane_id && status.pid === instance.pid;
    if (tmux && (await tmux.panes()).some(isIt)) await tmux.killPane(instance.tmux_pane_id);
  } catch (error) {
    // A fault of tmux does not matter here: the gateway has ended.
    if (!(error instanceof TmuxFault)) throw error;
  }
}

/**
 * Publishes the address of the gateway in the agent's tmux session and in the registry; null withdraws it.
 * @throws {UnusableFile} if the record in the registry cannot be used: the tmux session is updated by then.
 */
async function announceGateway(
  manifest: Manifest,
  host: AgentHost,
  gateway: NonNullable<RegistryRecord['gateway']> | null,
): Promise<void> {
  const { agent_id, registry_generation_id: generation } = manifest;
  if (turnHostOf(manifest) === 'tmux' && manifest.tmux_session_name)
    await publishInSession(manifest, host, gateway);
  if (agent_id && generation) noteGateway(host.registryRoot, agent_id, generation, gateway);
}

async function publishInSession(
  manifest: Manifest,
  { tmux }: AgentHost,
  gateway: NonNullable<RegistryRecord['gateway']> | null,
): Promise<void> {
  const variables = {
    HOUMAO_AGENT_GATEWAY_HOST: gateway?.host ?? null,
    HOUMAO_AGENT_GATEWAY_PORT: gateway ? String(gateway.port) : null,
    HOUMAO_GATEWAY_STATE_PATH: gateway?.state_path ?? null,
    HOUMAO_GATEWAY_PROTOCOL_VERSION: gateway?.protocol_version ?? null,
  };
  // A session that has ended has no environment to publish in.
  const its = await findAgentTmux(manifest, tmux).catch(() => null);
  await its?.setEnvironment(manifest.tmux_session_name ?? '', variables).catch(() => undefined);
}

/**
 * Notes a file that cannot be used, once; the file stays as it is. The step that was done before is not undone.
 * @throws an error that is no {@link UnusableFile}.
 */
export function noteUnusable(error: unknown, leftUndone: string[]): void {
  if (!(error instanceof UnusableFile)) throw error;
  const { path, reason, remedy } = error;
  const todo = remedy === null ? '' : `; ${remedy}`;
  const left = `${path} cannot be used (${reason}): it was left as it is, and the files that depend on it were not updated${todo}.`;
  if (!leftUndone.includes(left)) leftUndone.push(left);
}
