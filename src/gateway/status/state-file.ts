import { statSync } from 'node:fs';
import { replaceFile } from '../../foundation/atomic-file.js';
import { toJsonFile } from '../../foundation/json-text.js';
import { publishCurrentInstance } from '../../session/current-instance.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { GatewayStatus, StatusBoard } from './status-board.js';

/** `state.json` follows the status within this time (docs/decisions.md#status-files allows 100 ms). */
const delayMilliseconds = 50;
/** The delay before a write that the disk refused is tried again. */
const againMilliseconds = 1000;

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
    this.#writeIn(delayMilliseconds);
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
    if (refused) this.#writeIn(againMilliseconds);
    else if (this.#touched) this.#writeIn(delayMilliseconds);
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
