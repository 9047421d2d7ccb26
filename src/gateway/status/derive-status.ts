import type { components } from '../../../generated/gateway/types.js';
import type { Inspection } from '../../target/agent-target.js';
import { needsReconciliation } from './epoch.js';
import type { EpochRecord } from './epoch-table.js';

export type GatewayStatus = components['schemas']['GatewayStatus'];

/** Who this gateway is; does not change while it runs. */
export interface GatewayIdentity {
  attachIdentity: string;
  backend: GatewayStatus['backend'];
  tmuxSessionName: string;
  executionMode: GatewayStatus['execution_mode'];
  host: '127.0.0.1' | '0.0.0.0';
  port: number;
  tmuxWindowId: string | null;
  tmuxWindowIndex: string | null;
  tmuxPaneId: string | null;
}

/**
 * Derives every axis (gateway §2.6 and §3.1). `running` = a turn holds the slot; a queue that cannot be stored takes
 * nothing, however well the agent is.
 */
export function deriveStatus(
  identity: GatewayIdentity,
  inspection: Inspection,
  epoch: EpochRecord,
  running: boolean,
  queueDepth: number,
  storable: boolean,
): GatewayStatus {
  const recovery = !inspection.connected
    ? 'awaiting_rebind'
    : needsReconciliation(epoch)
      ? 'reconciliation_required'
      : 'idle';
  return {
    schema_version: 1,
    protocol_version: 'v1',
    attach_identity: identity.attachIdentity,
    backend: identity.backend,
    tmux_session_name: identity.tmuxSessionName,
    gateway_health: 'healthy',
    managed_agent_connectivity: inspection.connected ? 'connected' : 'unavailable',
    managed_agent_recovery: recovery,
    request_admission: storable ? admissionOf(recovery, inspection) : 'blocked_unavailable',
    terminal_surface_eligibility: inspection.surface,
    active_execution: running ? 'running' : 'idle',
    execution_mode: identity.executionMode,
    queue_depth: queueDepth,
    gateway_host: identity.host,
    gateway_port: identity.port,
    gateway_tmux_window_id: identity.tmuxWindowId,
    gateway_tmux_window_index: identity.tmuxWindowIndex,
    gateway_tmux_pane_id: identity.tmuxPaneId,
    managed_agent_instance_epoch: epoch.epoch,
    managed_agent_instance_id: epoch.lastInstanceId,
  };
}

function admissionOf(
  recovery: GatewayStatus['managed_agent_recovery'],
  inspection: Inspection,
): GatewayStatus['request_admission'] {
  if (recovery === 'awaiting_rebind') return 'blocked_unavailable';
  if (recovery === 'reconciliation_required') return 'blocked_reconciliation';
  return inspection.acceptsPrompts ? 'open' : 'blocked_unavailable';
}
