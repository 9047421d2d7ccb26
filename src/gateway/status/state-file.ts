import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { publishCurrentInstance } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { GatewayStatus } from './derive-status.js';
import type { StatusBoard } from './status-board.js';

/** `state.json` follows the status by at most this much (decision 58 allows 100). */
const delayMilliseconds = 50;

/** Keeps `state.json` and `run/current-instance.json` like the status; written on change, not on a timer. */
export class StateFile {
  readonly #paths: SessionPaths;
  readonly #board: StatusBoard;
  readonly #report: (fault: string) => void;
  #timer: NodeJS.Timeout | null = null;
  #state = '';
  #instance = '';

  constructor(paths: SessionPaths, board: StatusBoard, report: (fault: string) => void) {
    this.#paths = paths;
    this.#board = board;
    this.#report = report;
  }

  /** Something may have changed. */
  touch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      try {
        this.write();
      } catch (error) {
        this.#report(`${this.#paths.state} could not be written: ${(error as Error).message}`);
      }
    }, delayMilliseconds).unref();
  }

  /** Writes what differs from the last time. */
  write(): void {
    const status = this.#board.snapshot();
    const state = toJsonFile(status);
    if (state !== this.#state) writeFileAtomic(this.#paths.state, state);
    this.#state = state;
    const instance = `${status.managed_agent_instance_epoch} ${status.managed_agent_instance_id}`;
    if (instance !== this.#instance) this.#publishInstance(status);
    this.#instance = instance;
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
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
