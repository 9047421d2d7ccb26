import type { components } from '../../../generated/gateway/types.js';
import { AgentWatch } from '../../agent/agent-watch.js';
import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { type Axes, type AxesSource, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { Clock } from '../../foundation/clock.js';
import type { GatewayPlace } from '../../session/current-instance.js';
import type { StorageWatch } from '../../storage/storage-watch.js';
import type { ExecutionSlot } from '../../turn/execution-slot.js';
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

export interface StatusParts {
  identity: GatewayIdentity;
  target: Pick<AgentTarget, 'inspect'>;
  queue: Pick<RequestJournal, 'depth' | 'paused'>;
  epochs: Epochs;
  slot: ExecutionSlot;
  clock: Clock;
  storage: Pick<StorageWatch, 'fault' | 'look'>;
}

/** The axes of one gateway, gathered from their owners without I/O. */
export class StatusBoard implements AxesSource {
  readonly #parts: StatusParts;
  readonly #watch: AgentWatch;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    this.#watch = new AgentWatch(parts.target, parts.clock, ({ instanceId }) =>
      parts.epochs.observe(instanceId),
    );
  }

  get epochs(): Epochs {
    return this.#parts.epochs;
  }

  get identity(): GatewayIdentity {
    return this.#parts.identity;
  }

  now(): Axes {
    const { queue, epochs, slot, storage } = this.#parts;
    return {
      storageFault: storage.fault?.detail ?? null,
      agent: this.#watch.inspection,
      needsReconciliation: epochs.needsReconciliation,
      epoch: epochs.current,
      paused: queue.paused,
      holder: slot.holder,
      slotFree: slot.free,
      queueDepth: queue.depth,
    };
  }

  async current(): Promise<Axes> {
    if (this.#watch.isStale) await this.#observe();
    return this.now();
  }

  async observe(): Promise<Axes> {
    await this.#observe();
    return this.now();
  }

  /** Returns the axes in the form of the contract, as they are known now. */
  status(): GatewayStatus {
    return deriveStatus(this.identity, this.now(), this.epochs.record);
  }

  /** Returns the same after an observation of the agent that is at most one second old. */
  async currentStatus(): Promise<GatewayStatus> {
    if (this.#watch.isStale) await this.#observe();
    return this.status();
  }

  async #observe(): Promise<void> {
    this.#parts.storage.look();
    await this.#watch.inspect();
  }
}

/**
 * The interval at which the agent is checked while no caller requests the status, so that `state.json` is not wrong for
 * long.
 */
const idleProbeMilliseconds = 5000;

interface IdleProbeParts {
  board: Pick<StatusBoard, 'current'>;
  clock: Clock;
  /** Called after each check, also after one that failed. */
  probed: () => void;
  report: (fault: string) => void;
}

/** Checks the agent from time to time, until `signal` fires. */
export async function probeWhileIdle(parts: IdleProbeParts, signal: AbortSignal): Promise<void> {
  const { board, clock, probed, report } = parts;
  while (!signal.aborted) {
    await clock.sleep(idleProbeMilliseconds, signal);
    if (signal.aborted) return;
    await board
      .current()
      .catch((error: Error) => report(`the agent could not be looked at: ${error.message}`));
    probed();
  }
}
