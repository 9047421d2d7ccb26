import { statSync } from 'node:fs';
import type { components } from '../../../generated/gateway/types.js';
import { type Axes, type AxesSource, activityOf, admissionOf } from '../../dispatch/readiness.js';
import { replaceFile } from '../../foundation/atomic-file.js';
import type { Clock } from '../../foundation/clock.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { type GatewayPlace, publishCurrentInstance } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
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

/** `state.json` follows the status within this time (docs/decisions.md#status-files allows 100 ms). */
const writeMilliseconds = 50;
/** The delay before a write that the disk refused is tried again. */
const writeAgainMilliseconds = 1000;

/** Keeps `state.json` and `run/current-instance.json` equal to the status; written on change, not on a timer. */
export class StateFile {
  readonly #paths: SessionPaths;
  readonly #board: StatusBoard;
  readonly #print: (line: string) => void;
  /** Set while a write is due or under way: a change during a write is written after it. */
  #timer: NodeJS.Timeout | null = null;
  #state = '';
  #instance = '';
  /** Inode, size and time of the two files, to notice when another program has changed them. */
  #marks = '';
  #failing = false;
  #touched = false;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  /** @param print called with a line that must be seen even when nothing can be stored. */
  constructor(paths: SessionPaths, board: StatusBoard, print: (line: string) => void) {
    this.#paths = paths;
    this.#board = board;
    this.#print = print;
  }

  /** Call this when the status may have changed. */
  touch(): void {
    this.#touched = true;
    this.#writeIn(writeMilliseconds);
  }

  /**
   * Writes the files that differ from the last time, and both when another program has changed one. Writes run one at a
   * time.
   */
  write(): Promise<void> {
    const written = this.#writing.then(() => this.#writeNow());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #writeNow(): Promise<void> {
    const status = this.#board.status();
    const state = toJsonFile(status);
    const untouched = this.#marks === this.#currentMarks();
    if (state !== this.#state || !untouched) await replaceFile(this.#paths.state, state);
    this.#state = state;
    const instance = `${status.managed_agent_instance_epoch} ${status.managed_agent_instance_id}`;
    if (instance !== this.#instance || !untouched) this.#publishInstance(status);
    this.#instance = instance;
    this.#marks = this.#currentMarks();
  }

  /**
   * Ends all writing: the stopping gateway withdraws its record, and its last work still calls `touch`. Resolves when no
   * write is under way any more.
   */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#writing;
  }

  #writeIn(milliseconds: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#follow().catch(() => undefined);
    }, milliseconds).unref();
  }

  async #follow(): Promise<void> {
    this.#touched = false;
    let refused: Error | null = null;
    try {
      await this.write();
    } catch (error) {
      refused = error as Error;
      if (!this.#failing)
        this.#print(
          `${this.#paths.state} could not be written (${refused.message}): it is written as soon as the disk allows`,
        );
    }
    this.#failing = refused !== null;
    this.#timer = null;
    if (refused) this.#writeIn(writeAgainMilliseconds);
    else if (this.#touched) this.#writeIn(writeMilliseconds);
  }

  #currentMarks(): string {
    return [this.#paths.state, this.#paths.currentInstance]
      .map((path) => statSync(path, { throwIfNoEntry: false }))
      .map((status) => (status ? `${status.ino} ${status.size} ${status.mtimeMs}` : 'none'))
      .join(', ');
  }

  #publishInstance(status: GatewayStatus): void {
    const { host, port, executionMode, tmuxWindowId, tmuxWindowIndex, tmuxPaneId } = this.#board.identity;
    const handle =
      executionMode === 'tmux_auxiliary_window'
        ? { tmux_window_id: tmuxWindowId, tmux_window_index: tmuxWindowIndex, tmux_pane_id: tmuxPaneId }
        : {};
    publishCurrentInstance(this.#paths, {
      schema_version: 1,
      protocol_version: 'v1',
      pid: process.pid,
      host,
      port,
      execution_mode: executionMode,
      ...handle,
      managed_agent_instance_epoch: status.managed_agent_instance_epoch,
      managed_agent_instance_id: status.managed_agent_instance_id,
    });
  }
}
