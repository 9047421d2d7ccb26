import { type FSWatcher, readdirSync, statSync, type WatchEventType, watch } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Clock } from './clock.js';
import { unreadable } from './system-fault.js';

/** Returns a text that differs between states of a file; null where there is no file. */
export function fileSignature(path: string): string | null {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return code === 'ENOENT' ? null : code;
  }
}

/**
 * Returns the names of the entries of a folder; none where there is no such folder.
 * @throws the file system's error, which names the folder, where it cannot be read.
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
 * Returns the paths of the folders within a folder, in the order of their names; none where there is no such folder.
 * @throws {UnusableFile} where it cannot be read.
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

/** How often folders are checked without an event: events of the file system are only hints, and one may be missed. */
const usualMilliseconds = 250;

/**
 * Pure: whether an event may be a change. As root SQLite gives a rollback journal its owner again at each look, so that the journal that
 * a killed writer left would have every look be the cause of the next one. What is written is written to the database as well.
 */
const mayBeChange = (event: WatchEventType, name: string | null): boolean =>
  event === 'rename' || name === null || !name.endsWith('-journal');

/** Waits for changes in folders. A folder that does not exist, or cannot be watched, is checked from time to time. */
export class FolderWatch {
  readonly #clock: Clock;
  readonly #pollMilliseconds: number;
  /** By path; null for a folder that could not be watched yet. */
  readonly #watchers = new Map<string, FSWatcher | null>();
  #changed = new AbortController();

  constructor(folders: readonly string[], clock: Clock, pollMilliseconds = usualMilliseconds) {
    this.#clock = clock;
    this.#pollMilliseconds = pollMilliseconds;
    this.watch(folders);
  }

  /** Watches these folders from now on, and no others. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders);
    for (const [path, watcher] of this.#watchers) {
      if (wanted.has(path)) continue;
      watcher?.close();
      this.#watchers.delete(path);
    }
    for (const path of wanted) if (!this.#watchers.has(path)) this.#watchers.set(path, this.#open(path));
  }

  /**
   * Resolves when something may have changed since the last call (also after the poll interval), or when `enough` aborts. Read
   * the folders after this call, not before it.
   */
  async change(enough: AbortSignal): Promise<void> {
    for (const [path, watcher] of this.#watchers) this.#watchers.set(path, watcher ?? this.#open(path));
    const wake = (): void => this.#changed.abort();
    if (enough.aborted) wake();
    // Not `AbortSignal.any`: a long-lived signal would collect a dependent signal at each wait.
    enough.addEventListener('abort', wake, { once: true });
    await this.#clock.sleep(this.#pollMilliseconds, this.#changed.signal);
    enough.removeEventListener('abort', wake);
    // Node reads events until there are none: one that is caused by each look would leave nothing else its turn.
    await othersTurn();
    this.#changed = new AbortController();
  }

  close(): void {
    this.watch([]);
  }

  #open(path: string): FSWatcher | null {
    try {
      const watcher = watch(path, (event, name) => {
        if (mayBeChange(event, name)) this.#changed.abort();
      });
      watcher.on('error', () => undefined);
      // Changes from before the folder was watched made no event.
      this.#changed.abort();
      return watcher;
    } catch {
      return null;
    }
  }
}
