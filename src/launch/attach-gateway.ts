import { blockedPort } from '../foundation/fetch-ports.js';
import { attachFile } from '../session/attach-contract.js';
import type { CurrentInstance } from '../session/current-instance.js';
import { changeDesiredConfig, defaultExecutionMode, desiredConfigFile } from '../session/desired-config.js';
import type { ExecutionMode, ListenHost } from '../session/gateway-place.js';
import { readManifest } from '../session/manifest.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { AgentHost } from './agent-host.js';
import { announceGateway } from './announce-gateway.js';
import { LaunchFault } from './launch-fault.js';
import { liveGateway, urlOf } from './live-gateway.js';
import { spawnDetached, spawnInWindow } from './spawn-gateway.js';

/** What a caller wants of the gateway; null leaves it as it was, or at its default. */
export interface GatewayWish {
  host: ListenHost | null;
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
 * Starts a gateway and waits until it serves. One that serves already is left alone.
 * @throws Error that says why it did not come up.
 */
export async function attachGateway(
  paths: SessionPaths,
  wish: GatewayWish,
  host: AgentHost,
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
    listener: resolveListener(paths, wish, host.environment),
    flags: wish.flags,
    host,
  };
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

/**
 * Override, environment, what was wished for before, 127.0.0.1 and any port.
 * @throws {LaunchFault} for a port that nobody could call.
 */
function resolveListener(
  paths: SessionPaths,
  wish: GatewayWish,
  environment: NodeJS.ProcessEnv,
): { host: string; port: number } {
  const desired = desiredConfigFile.read(paths.desiredConfig);
  const former = attachFile.readIfUsable(paths.attach);
  const fromEnvironment = environment.HOUMAO_AGENT_GATEWAY_PORT;
  const port =
    wish.port ??
    (fromEnvironment ? Number(fromEnvironment) : (desired?.desired_port ?? former?.desired_port ?? 0));
  const blocked = blockedPort(port);
  if (blocked !== null)
    throw new LaunchFault(`${blocked} Start the gateway on another one, or on 0 for any.`);
  return {
    host:
      wish.host ??
      environment.HOUMAO_AGENT_GATEWAY_HOST ??
      desired?.desired_host ??
      former?.desired_host ??
      '127.0.0.1',
    port,
  };
}

/** Switches the diagnostic log; its sizes stay as they were wished for. */
function wishForDiagnostics({ desiredConfig }: SessionPaths, enabled: boolean): void {
  const before = desiredConfigFile.read(desiredConfig)?.desired_diagnostic_logging;
  changeDesiredConfig(desiredConfig, {
    desired_diagnostic_logging: { max_bytes: 1024 * 1024, backup_count: 5, ...before, enabled },
  });
}
