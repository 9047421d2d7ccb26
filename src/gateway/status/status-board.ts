import type { components } from '../../../generated/gateway/types.js';
import { type Axes, type AxesSource, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { Clock } from '../../foundation/clock.js';
import type { GatewayPlace } from '../../session/current-instance.js';
import type { EpochRecord, Epochs } from './epochs.js';

export type GatewayStatus = components['schemas']['GatewayStatus'];

/** The identity of this gateway; it does not change while the gateway runs. */
export interface GatewayIdentity extends GatewayPlace {
  attachIdentity: string;
  backend: GatewayStatus['backend'];
  tmuxSessionName: string;
}

/** Converts the axes to the status of the contract. */
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

/** The status of one gateway. */
export class StatusBoard {
  readonly identity: GatewayIdentity;
  readonly #axes: AxesSource;
  readonly #epochs: Epochs;

  constructor(identity: GatewayIdentity, axes: AxesSource, epochs: Epochs) {
    this.identity = identity;
    this.#axes = axes;
    this.#epochs = epochs;
  }

  /** Returns the axes in the form of the contract, as they are known now. */
  status(): GatewayStatus {
    return deriveStatus(this.identity, this.#axes.now(), this.#epochs.record);
  }

  /** Returns the same after an observation of the agent that is at most one second old. */
  async currentStatus(): Promise<GatewayStatus> {
    await this.#axes.current();
    return this.status();
  }
}

/**
 * The interval at which the agent is checked while no caller requests the status, so that `state.json` is not wrong for
 * long.
 */
const idleProbeMilliseconds = 5000;

interface IdleProbeParts {
  axes: Pick<AxesSource, 'current'>;
  clock: Clock;
  /** Called after each check, also after one that failed. */
  probed: () => void;
  report: (fault: string) => void;
}

/** Checks the agent from time to time, until `signal` fires. */
export async function probeWhileIdle(parts: IdleProbeParts, signal: AbortSignal): Promise<void> {
  const { axes, clock, probed, report } = parts;
  while (!signal.aborted) {
    await clock.sleep(idleProbeMilliseconds, signal);
    if (signal.aborted) return;
    await axes
      .current()
      .catch((error: Error) => report(`the agent could not be looked at: ${error.message}`));
    probed();
  }
}
