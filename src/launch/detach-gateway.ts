import { basename } from 'node:path';
import { findAgentTmux } from '../agent/local/agent-tmux.js';
import { tryLock } from '../foundation/directory-lock.js';
import { UnusableFile } from '../foundation/unusable-file.js';
import { attachContractOf, attachFile, publishAttachContract } from '../session/attach-contract.js';
import {
  type CurrentInstance,
  currentInstanceFile,
  withdrawCurrentInstance,
} from '../session/current-instance.js';
import { readManifest } from '../session/manifest.js';
import { attachIdentityOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import { writeOfflineState } from '../session/offline-state.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { ListedPane } from '../terminal/pane-listing.js';
import type { Tmux } from '../terminal/tmux.js';
import { TmuxFault } from '../terminal/tmux-fault.js';
import type { AgentHost } from './agent-host.js';
import { announceGateway } from './announce-gateway.js';
import { endGatewayProcess, type GatewayPatience, gatewayProcess } from './gateway-process.js';
import { noteUnusable } from './left-undone.js';
import { type GatewaySight, liveGateway } from './live-gateway.js';

/** Others hold the lock for moments only: the event loop waits so long at most. */
const lockPatienceMilliseconds = 100;

/** What detaching a gateway came to. */
export interface DetachedGateway {
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
