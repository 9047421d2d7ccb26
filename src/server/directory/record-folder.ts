import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnusableFile } from '../../foundation/faults.js';
import { fileSignature } from '../../foundation/folders.js';
import { unreadable } from '../../foundation/system-fault.js';

export interface RecordFolderParts<T> {
  /** Each record is the file `<folder>/<any name>/<file>`. */
  readonly folder: string;
  readonly file: string;
  /**
   * Returns null for a file that describes nothing.
   * @throws {UnusableFile}
   */
  readonly parse: (path: string, text: string) => T | null;
  /** Called once for each state of a file that cannot be used. */
  readonly report: (fault: UnusableFile) => void;
}

interface Seen<T> {
  readonly signature: string | null;
  /** Null where nothing usable was ever read, and where there is no file. */
  readonly record: T | null;
}

/**
 * The records in a folder. A file is read when it has changed; one that cannot be used any more keeps the record that was
 * read last.
 */
export class RecordFolder<T> {
  readonly #parts: RecordFolderParts<T>;
  #seen: ReadonlyMap<string, Seen<T>> = new Map();
  /** The reason why the folder itself could not be read the last time. */
  #obstacle: string | null = null;

  constructor(parts: RecordFolderParts<T>) {
    this.#parts = parts;
  }

  get records(): T[] {
    return [...this.#seen.values()].flatMap(({ record }) => record ?? []);
  }

  /** The folders to watch to learn of every change. */
  get folders(): string[] {
    const { folder } = this.#parts;
    return [folder, ...[...this.#seen.keys()].map((name) => join(folder, name))];
  }

  /**
   * Reads the files that have changed.
   * @returns whether any has.
   */
  look(): boolean {
    const before = this.#seen;
    this.#seen = new Map(this.#names().map((name) => [name, this.#readChanged(name, before.get(name))]));
    return before.size !== this.#seen.size || [...this.#seen].some(([name, now]) => before.get(name) !== now);
  }

  #names(): string[] {
    const { folder, report } = this.#parts;
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      this.#obstacle = null;
      return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : []));
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT') return [];
      if (this.#obstacle !== code) report(unreadable(folder, error));
      this.#obstacle = code;
      return [...this.#seen.keys()];
    }
  }

  #readChanged(name: string, before: Seen<T> | undefined): Seen<T> {
    const { folder, file, parse, report } = this.#parts;
    const path = join(folder, name, file);
    const signature = fileSignature(path);
    if (before?.signature === signature) return before;
    if (signature === null) return { signature, record: null };
    try {
      return { signature, record: parse(path, readFileSync(path, 'utf8')) };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { signature: null, record: null };
      report(error instanceof UnusableFile ? error : unreadable(path, error));
      return { signature, record: before?.record ?? null };
    }
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
