import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../foundation/clock.js';
import { tryLock } from '../foundation/directory-lock.js';
import { identify, isAlive } from '../foundation/process-identity.js';
import { signalProcess } from '../foundation/signals.js';
import { attachContractOf, attachFile, publishAttachContract } from '../session/attach-contract.js';
import {
  type CurrentInstance,
  currentInstanceFile,
  withdrawCurrentInstance,
} from '../session/current-instance.js';
import { readManifest } from '../session/manifest.js';
import { attachIdentityOf } from '../session/manifest-facts.js';
import { writeOfflineState } from '../session/offline-state.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import type { Tmux } from '../terminal/tmux.js';
import type { AgentHost } from './agent-host.js';
import { announceGateway } from './announce-gateway.js';

const stopMilliseconds = 12_000;
const pollMilliseconds = 50;

/**
 * Ends the gateway of a session and leaves its files as they are without one.
 * @returns false when none was running; the files are put right all the same.
 * @throws {UnusableFile} when the manifest cannot be read: the gateway is then left running.
 */
export async function detachGateway(paths: SessionPaths, host: AgentHost): Promise<boolean> {
  const manifest = readManifest(paths.manifest);
  const stopped = await endGateway(paths, host);
  writeOfflineState(paths, manifest, attachIdentityOf(manifest, basename(paths.root)));
  const former = attachFile.readIfUsable(paths.attach);
  const desired = { host: former?.desired_host ?? null, port: former?.desired_port ?? null };
  publishAttachContract(paths, attachContractOf(manifest, paths, desired), null);
  await announceGateway(manifest, host, null);
  return stopped;
}

/**
 * Ends the gateway's process and window, and takes away what says that it runs. Needs no manifest.
 * @returns false when none was running.
 * @throws {UnusableFile} when one runs and its record cannot be read.
 */
export async function endGateway(paths: SessionPaths, { clock, tmux }: AgentHost): Promise<boolean> {
  const instance = runningInstance(paths);
  const stopped = instance !== null && (await stopProcess(instance.pid, paths, clock));
  if (instance) await closeWindow(instance, tmux);
  withdrawCurrentInstance(paths);
  return stopped;
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

/** TERM, then KILL; only a process that is that gateway, for a pid may be somebody else's by now. */
async function stopProcess(pid: number, paths: SessionPaths, clock: Clock): Promise<boolean> {
  const process = identify(pid);
  if (!process || !isGatewayOf(pid, paths)) return false;
  signalProcess(pid, 'SIGTERM');
  const deadline = clock.monotonic() + stopMilliseconds;
  while (isAlive(process) && clock.monotonic() < deadline) await clock.sleep(pollMilliseconds);
  if (isAlive(process)) signalProcess(pid, 'SIGKILL');
  while (isAlive(process)) await clock.sleep(pollMilliseconds);
  return true;
}

function isGatewayOf(pid: number, paths: SessionPaths): boolean {
  const commandLine = `/proc/${pid}/cmdline`;
  if (!existsSync(commandLine)) return true;
  const words = readFileSync(commandLine, 'utf8').split('\0');
  const root = words[words.indexOf('--gateway-root') + 1];
  return root !== undefined && words.includes('--gateway-root') && sessionPaths(root).root === paths.root;
}
