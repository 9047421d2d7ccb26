import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from './clock.js';
import { unreadable } from './system-fault.js';

/**
 * The names of what stands in a folder; none where there is no such folder.
 * @throws the file system's error, which names the folder, where that is not known: it cannot be read.
 */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The folders that stand in one, as paths in the order of their names; none where there is no such folder.
 * @throws {UnusableFile} where that is not known: it cannot be read.
 */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(folder, error);
  }
}

/** Events of the file system are hints; so long a change goes unseen at most when one is missed. */
const usualMilliseconds = 250;

/** Waits for changes in folders. One that is not there, or cannot be watched, is looked at from time to time. */
export class FolderWatch {
  readonly #clock: Clock;
  readonly #pollMilliseconds: number;
  /** Null for a folder that could not be watched yet. */
  readonly #watchers = new Map<string, FSWatcher | null>();
  #changed = new AbortController();

  constructor(folders: readonly string[], clock: Clock, pollMilliseconds = usualMilliseconds) {
    this.#clock = clock;
    this.#pollMilliseconds = pollMilliseconds;
    this.watch(folders);
  }

  /** From now on these folders are watched and no others. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders);
    for (const [path, watcher] of this.#watchers) {
      if (wanted.has(path)) continue;
      watcher?.close();
      this.#watchers.delete(path);
    }
    for (const path of wanted) if (!this.#watchers.has(path)) this.#watchers.set(path, this.#open(path));
  }

  /** Resolves when something may have changed since the last call, or `enough` aborts. Look after it, not before. */
  async change(enough: AbortSignal): Promise<void> {
    for (const [path, watcher] of this.#watchers) this.#watchers.set(path, watcher ?? this.#open(path));
    const wake = (): void => this.#changed.abort();
    if (enough.aborted) wake();
    // Not `AbortSignal.any`: a signal that lives long would collect what was made of it at each wait.
    enough.addEventListener('abort', wake, { once: true });
    await this.#clock.sleep(this.#pollMilliseconds, this.#changed.signal);
    enough.removeEventListener('abort', wake);
    this.#changed = new AbortController();
  }

  close(): void {
    this.watch([]);
  }

  #open(path: string): FSWatcher | null {
    try {
      const watcher = watch(path, () => this.#changed.abort());
      watcher.on('error', () => undefined);
      // What came before it was watched made no event.
      this.#changed.abort();
      return watcher;
    } catch {
      return null;
    }
  }
}
