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
import { planStart, spawnDetached, spawnInWindow } from './gateway-start.js';
import type { GatewayWish } from './gateway-wish.js';
import {
  endGatewayProcess,
  type GatewayPatience,
  type GatewaySight,
  gatewayProcess,
  liveGateway,
  urlOf,
} from './live-gateway.js';

export interface Attached {
  url: string;
  instance: CurrentInstance;
  /** False when a gateway was there already. */
  started: boolean;
}

/**
 * Starts a gateway and waits until it serves. One that serves already is left alone.
 * @param starting is called when one is going to be started
 * @throws Error that says why it did not come up.
 */
export async function attachGateway(
  paths: SessionPaths,
  wish: GatewayWish,
  host: AgentHost,
  starting: () => void = () => undefined,
): Promise<Attached> {
  const present = await liveGateway(paths);
  if (present) return { url: urlOf(present), instance: present, started: false };
  const { manifest, mode, listener } = planStart(paths, wish, host);
  starting();
  // Read by the gateway when it starts.
  if (wish.diagnosticLog !== null) wishForDiagnostics(paths, wish.diagnosticLog);
  const start = { paths, manifest, listener, flags: wish.flags, host };
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

/** Switches the diagnostic log; its sizes stay as they were wished for. */
function wishForDiagnostics({ desiredConfig }: SessionPaths, enabled: boolean): void {
  const before = desiredConfigFile.read(desiredConfig)?.desired_diagnostic_logging;
  changeDesiredConfig(desiredConfig, {
    desired_diagnostic_logging: { max_bytes: 1024 * 1024, backup_count: 5, ...before, enabled },
  });
}

/** Others hold the lock for moments only: the event loop waits so long at most. */
const lockPatienceMilliseconds = 100;

/** What detaching a gateway came to. */
interface DetachedGateway {
  /** False when none was running; the files are put right all the same. */
  stopped: boolean;
  /** Null when it could not be read. */
  manifest: Manifest | null;
  /** What could not be done, a sentence each; empty when all went well. */
  leftUndone: string[];
}

/**
 * Ends the gateway of a session and leaves its files as they are without one. Whom to end, the gateway's own files say;
 * only what others are told needs the manifest.
 * @throws {UnusableFile} when a gateway runs and its own record cannot be read: it is then left running.
 */
export async function detachGateway(paths: SessionPaths, host: AgentHost): Promise<DetachedGateway> {
  const instance = runningInstance(paths);
  const process = instance && gatewayProcess(instance.pid, paths);
  if (process) await endGatewayProcess(process, await stopPatience(paths), host.clock);
  const { manifest, leftUndone } = await putRight(paths, instance, host);
  return { stopped: process !== null, manifest, leftUndone };
}

/** One that answers nobody would not end its turn properly either. */
const stopPatience = async (paths: SessionPaths): Promise<GatewayPatience> =>
  (await liveGateway(paths)) ? 'its own time' : 'short';

/**
 * Takes away what still names a gateway that is surely gone: its process has ended, and none has taken its place. A gateway that
 * only gives no answer is left alone.
 */
export async function forgetDeadGateway(
  paths: SessionPaths,
  sight: GatewaySight,
  host: AgentHost,
): Promise<void> {
  if (sight.state !== 'silent' || gatewayProcess(sight.instance.pid, paths)) return;
  if (currentInstanceFile.readIfUsable(paths.currentInstance)?.pid !== sight.instance.pid) return;
  await putRight(paths, sight.instance, host);
}

/** After a gateway has ended: closes its pane, and tells files, registry and tmux session that there is none. */
async function putRight(
  paths: SessionPaths,
  ended: CurrentInstance | null,
  host: AgentHost,
): Promise<Pick<DetachedGateway, 'manifest' | 'leftUndone'>> {
  const leftUndone: string[] = [];
  const manifest = usableManifest(paths, leftUndone);
  if (ended && manifest) await closePane(ended, manifest, host.tmux);
  const alone = withdrawFiles(paths, ended, manifest, leftUndone);
  // One that has come up meanwhile is told of by its attacher.
  if (alone && manifest)
    await announceGateway(manifest, host, null).catch((error: unknown) => noteUnusable(error, leftUndone));
  return { manifest, leftUndone };
}

/**
 * Under the lock of a gateway, and without waiting for anything: one that is just starting waits for that lock, but not for long
 * (docs/decisions.md#trust-after-health).
 * @returns false when another gateway has taken the place of the ended one: its files are left alone.
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

/** @throws {UnusableFile} when a gateway runs and its record cannot be read: nobody knows whom to stop. */
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

/** The pane that outlived its gateway. The same id is another pane's on another server, whose program is another one too. */
async function closePane(instance: CurrentInstance, manifest: Manifest, usual: Tmux): Promise<void> {
  if (!instance.tmux_pane_id) return;
  try {
    const tmux = await findAgentTmux(manifest, usual);
    const isIt = ({ paneId, status }: ListedPane): boolean =>
      paneId === instance.tmux_pane_id && status.pid === instance.pid;
    if (tmux && (await tmux.panes()).some(isIt)) await tmux.killPane(instance.tmux_pane_id);
  } catch (error) {
    // What is wrong with tmux does not keep a gateway that has ended running.
    if (!(error instanceof TmuxFault)) throw error;
  }
}

/**
 * Tells the agent's tmux session and the registry where its gateway is; null when there is none any more.
 * @throws {UnusableFile} when the record in the registry cannot be used: the tmux session is told by then.
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
  // A session that is gone has no environment to publish in.
  const its = await findAgentTmux(manifest, tmux).catch(() => null);
  await its?.setEnvironment(manifest.tmux_session_name ?? '', variables).catch(() => undefined);
}

/**
 * What is done stays done, whatever cannot be told of it: a file that cannot be used is left as it is, and named once.
 * @throws what is no {@link UnusableFile}.
 */
export function noteUnusable(error: unknown, leftUndone: string[]): void {
  if (!(error instanceof UnusableFile)) throw error;
  const { path, reason, remedy } = error;
  const todo = remedy === null ? '' : `; ${remedy}`;
  const left = `${path} cannot be used (${reason}): it was left as it is, and the files that depend on it were not updated${todo}.`;
  if (!leftUndone.includes(left)) leftUndone.push(left);
}
