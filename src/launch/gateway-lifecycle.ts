import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { tryLock } from '../foundation/directory-lock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { identify, isAlive } from '../foundation/process-identity.js';
import { signalProcess } from '../foundation/signals.js';
import { attachContractOf, attachFile, publishAttachContract } from '../session/attach-contract.js';
import {
  type CurrentInstance,
  currentInstanceFile,
  withdrawCurrentInstance,
} from '../session/current-instance.js';
import {
  type DesiredConfig,
  defaultExecutionMode,
  desiredConfigFile,
  type ExecutionMode,
} from '../session/desired-config.js';
import { attachIdentityOf, readManifest, turnHostOf } from '../session/manifest.js';
import { writeOfflineState } from '../session/offline-state.js';
import { noteGateway, registryRoot } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { hasWindow, killWindow, setEnvironment } from '../terminal/tmux.js';
import { liveGateway, urlOf } from './live-gateway.js';
import { spawnDetached, spawnInWindow } from './spawn-gateway.js';

const stopMilliseconds = 12_000;
const pollMilliseconds = 50;

/** What a caller wants of the gateway; null leaves it as it was, or at its default. */
export interface GatewayWish {
  host: '127.0.0.1' | '0.0.0.0' | null;
  port: number | null;
  mode: ExecutionMode | null;
  diagnosticLog: boolean | null;
  /** Further flags of `houmao-gateway`, for this start. */
  flags: readonly string[];
}
export interface Attached {
  url: string;
  instance: CurrentInstance;
  /** False when a gateway was there already. */
  started: boolean;
}

/**
 * Starts a gateway and waits until it serves (gateway §11.3). One that serves already is left alone.
 * @throws Error that says why it did not come up.
 */
export async function attachGateway(
  paths: SessionPaths,
  wish: GatewayWish,
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<Attached> {
  const manifest = readManifest(paths.manifest);
  const present = await liveGateway(paths);
  if (present) return { url: urlOf(present), instance: present, started: false };
  const desired = desiredConfigFile.read(paths.desiredConfig);
  // Read by the gateway when it starts.
  if (wish.diagnosticLog !== null) wishForDiagnostics(paths, wish.diagnosticLog);
  const mode = wish.mode ?? desired?.desired_execution_mode ?? defaultExecutionMode(manifest.backend);
  const start = {
    paths,
    manifest,
    listener: resolveListener(paths, wish, environment),
    flags: wish.flags,
    environment,
    clock,
  };
  const instance = await (mode === 'tmux_auxiliary_window' ? spawnInWindow(start) : spawnDetached(start));
  changeDesired(paths, {
    desired_execution_mode: mode,
    desired_host: instance.host,
    desired_port: instance.port,
  });
  await publishLive(paths, instance, environment);
  return { url: urlOf(instance), instance, started: true };
}

/** Override, environment, what was wished for before, 127.0.0.1 and any port. */
function resolveListener(
  paths: SessionPaths,
  wish: GatewayWish,
  environment: NodeJS.ProcessEnv,
): { host: string; port: number } {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  const former = attachFile.readIfUsable(paths.attach);
  const fromEnvironment = environment.HOUMAO_AGENT_GATEWAY_PORT;
  return {
    host:
      wish.host ??
      environment.HOUMAO_AGENT_GATEWAY_HOST ??
      desired?.desired_host ??
      former?.desired_host ??
      '127.0.0.1',
    port:
      wish.port ??
      (fromEnvironment ? Number(fromEnvironment) : (desired?.desired_port ?? former?.desired_port ?? 0)),
  };
}

function changeDesired(paths: SessionPaths, change: Partial<DesiredConfig>): void {
  const before = desiredConfigFile.read(paths.desiredConfig);
  writeFileAtomic(
    paths.desiredConfig,
    toJsonFile({
      schema_version: 1,
      desired_host: null,
      desired_port: null,
      desired_execution_mode: 'detached_process',
      desired_tui_tracking_timings: null,
      desired_diagnostic_logging: null,
      ...before,
      ...change,
    }),
  );
}

/** Switches the diagnostic log; its sizes stay as they were wished for. */
function wishForDiagnostics(paths: SessionPaths, enabled: boolean): void {
  const before = desiredConfigFile.read(paths.desiredConfig)?.desired_diagnostic_logging;
  changeDesired(paths, {
    desired_diagnostic_logging: { max_bytes: 1024 * 1024, backup_count: 5, ...before, enabled },
  });
}

/** Tells tmux and the registry where the gateway is. */
async function publishLive(
  paths: SessionPaths,
  instance: CurrentInstance,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const manifest = readManifest(paths.manifest);
  const gateway = {
    host: instance.host,
    port: instance.port,
    state_path: paths.state,
    protocol_version: 'v1',
  };
  noteGateway(
    registryRoot(environment),
    manifest.agent_id ?? '',
    manifest.registry_generation_id ?? '',
    gateway,
  );
  await publishToTmux(paths, {
    HOUMAO_AGENT_GATEWAY_HOST: instance.host,
    HOUMAO_AGENT_GATEWAY_PORT: String(instance.port),
    HOUMAO_GATEWAY_STATE_PATH: paths.state,
    HOUMAO_GATEWAY_PROTOCOL_VERSION: 'v1',
  });
}

async function publishToTmux(
  paths: SessionPaths,
  variables: Readonly<Record<string, string | null>>,
): Promise<void> {
  const manifest = readManifest(paths.manifest);
  if (turnHostOf(manifest) !== 'tmux' || !manifest.tmux_session_name) return;
  for (const [name, value] of Object.entries(variables)) {
    // A session that is gone has no environment to publish in.
    await setEnvironment(manifest.tmux_session_name, name, value).catch(() => undefined);
  }
}

/**
 * Ends the gateway of a session and leaves its files as they are without one.
 * @returns false when none was running; the files are put right all the same.
 */
export async function detachGateway(
  paths: SessionPaths,
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<boolean> {
  const manifest = readManifest(paths.manifest);
  const instance = runningInstance(paths);
  const stopped = instance !== null && (await stopProcess(instance.pid, paths, clock));
  if (instance) await closeWindow(instance);
  withdrawCurrentInstance(paths);
  const identity = attachIdentityOf(manifest, basename(paths.root));
  writeOfflineState(paths, manifest, identity);
  const former = attachFile.readIfUsable(paths.attach);
  const desired = { host: former?.desired_host ?? null, port: former?.desired_port ?? null };
  publishAttachContract(paths, attachContractOf(manifest, paths, desired), null);
  noteGateway(
    registryRoot(environment),
    manifest.agent_id ?? '',
    manifest.registry_generation_id ?? '',
    null,
  );
  await publishToTmux(paths, {
    HOUMAO_AGENT_GATEWAY_HOST: null,
    HOUMAO_AGENT_GATEWAY_PORT: null,
    HOUMAO_GATEWAY_STATE_PATH: null,
    HOUMAO_GATEWAY_PROTOCOL_VERSION: null,
  });
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
async function closeWindow(instance: CurrentInstance): Promise<void> {
  const { tmux_window_id: windowId, tmux_window_index: windowIndex } = instance;
  if (!windowId || windowIndex === '0' || !(await hasWindow(windowId))) return;
  // It may close by itself just now.
  await killWindow(windowId).catch(() => undefined);
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
