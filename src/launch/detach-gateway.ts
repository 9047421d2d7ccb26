import { basename } from 'node:path';
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
import type { Tmux } from '../terminal/tmux.js';
import type { AgentHost } from './agent-host.js';
import { announceGateway } from './announce-gateway.js';
import { endGatewayProcess, gatewayProcess } from './gateway-process.js';
import type { GatewaySight } from './live-gateway.js';

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
  const leftUndone: string[] = [];
  const manifest = usableManifest(paths, leftUndone);
  const stopped = await endGateway(paths, host);
  if (manifest) await tellDetached(paths, manifest, host);
  return { stopped, manifest, leftUndone };
}

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
  const lock = tryLock(paths.lock);
  if (!lock) return;
  try {
    if (currentInstanceFile.readIfUsable(paths.currentInstance)?.pid !== sight.instance.pid) return;
    await closeWindow(sight.instance, host.tmux);
    withdrawCurrentInstance(paths);
    const manifest = usableManifest(paths, []);
    if (manifest) await tellDetached(paths, manifest, host);
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
      `${paths.manifest} could not be read (${error.reason}): ${paths.state} and what else tells where the gateway is were left as they were.`,
    );
    return null;
  }
}

async function tellDetached(paths: SessionPaths, manifest: Manifest, host: AgentHost): Promise<void> {
  writeOfflineState(paths, manifest, attachIdentityOf(manifest, basename(paths.root)));
  const former = attachFile.readIfUsable(paths.attach);
  const desired = { host: former?.desired_host ?? null, port: former?.desired_port ?? null };
  publishAttachContract(paths, attachContractOf(manifest, paths, desired), null);
  await announceGateway(manifest, host, null);
}

/** Ends the gateway's process and window, and takes away what says that it runs. @returns false when none was running. */
async function endGateway(paths: SessionPaths, { clock, tmux }: AgentHost): Promise<boolean> {
  const instance = runningInstance(paths);
  const process = instance && gatewayProcess(instance.pid, paths);
  if (process) await endGatewayProcess(process, clock);
  if (instance) await closeWindow(instance, tmux);
  withdrawCurrentInstance(paths);
  return process !== null;
}

/** @throws {UnusableFile} when a gateway runs and its record cannot be read: nobody knows whom to stop. */
function runningInstance(paths: SessionPaths): CurrentInstance | null {
  const lock = tryLock(paths.lock);
  lock?.release();
  return lock
    ? currentInstanceFile.readIfUsable(paths.currentInstance)
    : currentInstanceFile.read(paths.currentInstance);
}

/** A window that outlived its gateway; never the agent's own. */
async function closeWindow(instance: CurrentInstance, tmux: Tmux): Promise<void> {
  const { tmux_window_id: windowId, tmux_window_index: windowIndex } = instance;
  if (!windowId || windowIndex === '0') return;
  // What is wrong with tmux does not keep a gateway that has ended running.
  await tmux.killWindow(windowId).catch(() => undefined);
}
