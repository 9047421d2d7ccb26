import type { CurrentInstance } from '../session/current-instance.js';
import { changeDesiredConfig, desiredConfigFile } from '../session/desired-config.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { AgentHost } from './agent-host.js';
import { announceGateway } from './announce-gateway.js';
import type { GatewayWish } from './gateway-wish.js';
import { liveGateway, urlOf } from './live-gateway.js';
import { spawnDetached, spawnInWindow } from './spawn-gateway.js';
import { planStart } from './start-plan.js';

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
