import { findAgentTmux } from '../agent/local/agent-tmux.js';
import { blockedPort } from '../foundation/fetch-ports.js';
import { type ListenPlace, listenObstacle } from '../foundation/listening.js';
import { attachFile } from '../session/attach-contract.js';
import { currentInstanceFile } from '../session/current-instance.js';
import { defaultExecutionMode, desiredConfigFile } from '../session/desired-config.js';
import type { ExecutionMode } from '../session/gateway-place.js';
import { readManifest } from '../session/manifest.js';
import { turnHostOf } from '../session/manifest-facts.js';
import type { Manifest } from '../session/manifest-schema.js';
import type { SessionPaths } from '../session/session-paths.js';
import type { Tmux } from '../terminal/tmux.js';
import type { AgentHost } from './agent-host.js';
import { gatewayProcess } from './gateway-process.js';
import type { GatewayWish } from './gateway-wish.js';
import { LaunchFault } from './launch-fault.js';

/** How a gateway will be started, once what is wished for is put together with what was there before. */
export interface StartPlan {
  readonly manifest: Manifest;
  readonly mode: ExecutionMode;
  readonly listener: ListenPlace;
}

/** @throws {LaunchFault} for a port that nobody could call. */
export function planStart(
  paths: SessionPaths,
  wish: GatewayWish,
  { environment }: Pick<AgentHost, 'environment'>,
): StartPlan {
  const manifest = readManifest(paths.manifest);
  const desired = desiredConfigFile.read(paths.desiredConfig);
  return {
    manifest,
    mode: wish.mode ?? desired?.desired_execution_mode ?? defaultExecutionMode(manifest.backend),
    listener: resolveListener(paths, wish, environment),
  };
}

/**
 * Looks whether a gateway could be started so, before the one that runs is ended for it; what that one holds itself is free then.
 * Changes nothing.
 *
 * @throws {LaunchFault} that names what is in the way.
 * @throws {TmuxFault}
 */
export async function checkStart(paths: SessionPaths, wish: GatewayWish, host: AgentHost): Promise<void> {
  const { manifest, mode, listener } = planStart(paths, wish, host);
  if (mode === 'tmux_auxiliary_window') await windowTmux(manifest, host.tmux);
  const before = currentInstanceFile.readIfUsable(paths.currentInstance);
  const isItsOwn = before?.port === listener.port && gatewayProcess(before.pid, paths) !== null;
  const obstacle = listener.port === 0 || isItsOwn ? null : await listenObstacle(listener);
  if (obstacle !== null) throw new LaunchFault(`Cannot listen: ${obstacle}`);
}

/** The tmux that a gateway gets a window of. @throws {LaunchFault} when the agent has no session there. @throws {TmuxFault} */
export async function windowTmux(manifest: Manifest, usual: Tmux): Promise<Tmux> {
  const tmux = turnHostOf(manifest) === 'tmux' ? await findAgentTmux(manifest, usual) : null;
  if (!tmux)
    throw new LaunchFault('The agent has no tmux session for a window; start the gateway with --background.');
  return tmux;
}

/**
 * Override, environment, what was wished for before, 127.0.0.1 and any port.
 * @throws {LaunchFault} for a port that nobody could call.
 */
function resolveListener(
  paths: SessionPaths,
  wish: GatewayWish,
  environment: NodeJS.ProcessEnv,
): ListenPlace {
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
