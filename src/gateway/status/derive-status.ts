import type { components } from '../../../generated/gateway/types.js';
import { type Axes, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { GatewayPlace } from '../../session/gateway-place.js';
import type { EpochRecord } from '../epoch/epoch-table.js';

export type GatewayStatus = components['schemas']['GatewayStatus'];

/** Who this gateway is; does not change while it runs. */
export interface GatewayIdentity extends GatewayPlace {
  attachIdentity: string;
  backend: GatewayStatus['backend'];
  tmuxSessionName: string;
}

/** The axes as the contract shows them. */
export function deriveStatus(identity: GatewayIdentity, axes: Axes, epoch: EpochRecord): GatewayStatus {
  const { agent } = axes;
  return {
    schema_version: 1,
    protocol_version: 'v1',
    attach_identity: identity.attachIdentity,
    backend: identity.backend,
    tmux_session_name: identity.tmuxSessionName,
    gateway_health: 'healthy',
    managed_agent_connectivity: agent.connected ? 'connected' : 'unavailable',
    managed_agent_recovery: !agent.connected
      ? 'awaiting_rebind'
      : axes.needsReconciliation
        ? 'reconciliation_required'
        : 'idle',
    request_admission: admissionOf(axes),
    terminal_surface_eligibility: agent.surface,
    active_execution: activityOf(axes),
    execution_mode: identity.executionMode,
    queue_depth: axes.queueDepth,
    gateway_host: identity.host,
    gateway_port: identity.port,
    gateway_tmux_window_id: identity.tmuxWindowId,
    gateway_tmux_window_index: identity.tmuxWindowIndex,
    gateway_tmux_pane_id: identity.tmuxPaneId,
    managed_agent_instance_epoch: epoch.epoch,
    managed_agent_instance_id: epoch.lastInstanceId,
  };
}
