import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../foundation/clock.js';

/** Events of the file system are hints; this is the longest a change goes unseen when one is missed. */
const pollMilliseconds = 250;

/** Waits for changes in a folder. One that is not there, or cannot be watched, is looked at from time to time. */
export class FolderWatch {
  readonly #clock: Clock;
  readonly #watcher: FSWatcher | null;
  #changed = new AbortController();

  constructor(path: string, clock: Clock) {
    this.#clock = clock;
    this.#watcher = this.#open(path);
  }

  /** Resolves when something may have changed since the last call, or `enough` aborts. Look after it, not before. */
  async change(enough: AbortSignal): Promise<void> {
    await this.#clock.sleep(pollMilliseconds, AbortSignal.any([this.#changed.signal, enough]));
    this.#changed = new AbortController();
  }

  close(): void {
    this.#watcher?.close();
  }

  #open(path: string): FSWatcher | null {
    try {
      const watcher = watch(path, () => this.#changed.abort());
      watcher.on('error', () => undefined);
      return watcher;
    } catch {
      return null;
    }
  }
}
