import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createGatewayClient } from '@houmao/sdk';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import type { Clock } from '../foundation/clock.js';
import { toJsonFile } from '../foundation/json-text.js';
import { identify, isAlive } from '../foundation/process-identity.js';
import { programFile } from '../foundation/programs.js';
import { signalProcess } from '../foundation/signals.js';
import { attachContractOf, attachFile, publishAttachContract } from '../session/attach-contract.js';
import {
  type CurrentInstance,
  currentInstanceFile,
  withdrawCurrentInstance,
} from '../session/current-instance.js';
import { desiredConfigFile } from '../session/desired-config.js';
import { attachIdentityOf, readManifest, turnHostOf } from '../session/manifest.js';
import { writeOfflineState } from '../session/offline-state.js';
import { noteGateway, registryRoot } from '../session/registry.js';
import { type SessionPaths, sessionPaths } from '../session/session-paths.js';
import { setEnvironment } from '../terminal/tmux.js';
import { LaunchFault } from './launch-fault.js';

const gatewayProgram = programFile('houmao-gateway');
/** A gateway must publish itself within this time (gateway §11.3). */
const startMilliseconds = 10_000;
const stopMilliseconds = 12_000;
const pollMilliseconds = 50;

export interface ListenerWish {
  host: '127.0.0.1' | '0.0.0.0' | null;
  port: number | null;
}
export interface Attached {
  url: string;
  instance: CurrentInstance;
  /** False when a gateway was there already. */
  started: boolean;
}

/** The address one can connect to. */
export const urlOf = (instance: Pick<CurrentInstance, 'port'>): string => `http://127.0.0.1:${instance.port}`;

/** The gateway that serves a session now, if it answers (decision 27); null otherwise. */
export async function liveGateway(paths: SessionPaths): Promise<CurrentInstance | null> {
  const instance = currentInstanceFile.read(paths.currentInstance);
  if (!instance) return null;
  const health = await createGatewayClient({ baseUrl: urlOf(instance), timeoutMs: 2000 })
    .getHealth()
    .catch(() => null);
  return health?.status === 'ok' ? instance : null;
}

/**
 * Starts a gateway as a detached process and waits until it serves (gateway §11.3). One that serves already is left alone.
 * @throws Error that says why it did not come up.
 */
export async function attachGateway(
  paths: SessionPaths,
  wish: ListenerWish,
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<Attached> {
  const manifest = readManifest(paths.manifest);
  const present = await liveGateway(paths);
  if (present) return { url: urlOf(present), instance: present, started: false };
  const listener = resolveListener(paths, wish, environment);
  const instance = await spawnGateway(paths, listener, manifest.working_directory, environment, clock);
  writeDesired(paths, instance);
  await publishLive(paths, instance, environment);
  return { url: urlOf(instance), instance, started: true };
}

/** Override, environment, what was wished for before, 127.0.0.1 and any port. */
function resolveListener(
  paths: SessionPaths,
  wish: ListenerWish,
  environment: NodeJS.ProcessEnv,
): { host: string; port: number } {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  const former = attachFile.read(paths.attach);
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

async function spawnGateway(
  paths: SessionPaths,
  listener: { host: string; port: number },
  workingDirectory: string,
  environment: NodeJS.ProcessEnv,
  clock: Clock,
): Promise<CurrentInstance> {
  mkdirSync(dirname(paths.log), { recursive: true, mode: 0o700 });
  const log = openSync(paths.log, 'a', 0o600);
  const logged = statSync(paths.log).size;
  const child = spawn(
    process.execPath,
    [gatewayProgram, '--gateway-root', paths.root, '--host', listener.host, '--port', String(listener.port)],
    {
      cwd: existsSync(workingDirectory) ? workingDirectory : paths.root,
      env: environment,
      detached: true,
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const gone = new AbortController();
  exited.then(() => gone.abort()).catch(() => gone.abort());
  const deadline = clock.monotonic() + startMilliseconds;
  while (!gone.signal.aborted && clock.monotonic() < deadline) {
    const instance = currentInstanceFile.read(paths.currentInstance);
    if (instance && instance.pid === child.pid && (await liveGateway(paths))) {
      child.unref();
      return instance;
    }
    await clock.sleep(pollMilliseconds, gone.signal);
  }
  const said = readFileSync(paths.log, 'utf8').slice(logged).trim().split('\n').at(-1) ?? '';
  if (gone.signal.aborted)
    throw new LaunchFault(said || `The gateway exited at once with code ${await exited}; see ${paths.log}`);
  if (child.pid) signalProcess(child.pid, 'SIGKILL');
  throw new LaunchFault(`The gateway did not serve within ${startMilliseconds / 1000} s; see ${paths.log}`);
}

function writeDesired(paths: SessionPaths, instance: CurrentInstance): void {
  const before = desiredConfigFile.read(paths.desiredConfig);
  writeFileAtomic(
    paths.desiredConfig,
    toJsonFile({
      schema_version: 1,
      desired_execution_mode: 'detached_process',
      desired_tui_tracking_timings: null,
      desired_diagnostic_logging: null,
      ...before,
      desired_host: instance.host,
      desired_port: instance.port,
    }),
  );
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
  const instance = currentInstanceFile.read(paths.currentInstance);
  const stopped = instance !== null && (await stopProcess(instance.pid, paths, clock));
  withdrawCurrentInstance(paths);
  const identity = attachIdentityOf(manifest, basename(paths.root));
  writeOfflineState(paths, manifest, identity);
  const former = attachFile.read(paths.attach);
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
