import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { namesIn } from './folders.js';
import { newUuid } from './ids.js';
import { makeFolder } from './make-folder.js';

/** Content that is written to a temporary file, and is not in its place yet. */
export interface StagedFile {
  /** Moves the content to its place, in one step. @throws the file system's error; the temporary file is removed then. */
  commit(): void;
  discard(): void;
}

const temporaryBeside = (path: string): string => `${path}.${newUuid()}.tmp`;

interface WriteOptions {
  /** Whether to sync (fsync) the content before it is moved to its place, for files that must survive a power loss. */
  durable?: boolean;
  /** Access rights; 0600 by default. */
  mode?: number;
}

/**
 * Writes a temporary file beside `path`, and makes the folder of both where it is missing.
 * @throws the file system's error, with the path in it.
 */
export function stageFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): StagedFile {
  makeFolder(dirname(path), 0o700);
  const temporary = temporaryBeside(path);
  const discard = (): void => rmSync(temporary, { force: true });
  const orDiscard = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      discard();
      throw error;
    }
  };
  orDiscard(() => {
    const file = openSync(temporary, 'wx', options.mode ?? 0o600);
    try {
      // writeFileSync writes all of it, even if the disk takes it in pieces.
      writeFileSync(file, content);
      if (options.durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
  return { commit: () => orDiscard(() => renameSync(temporary, path)), discard };
}

/**
 * Replaces a file in one step: temp sibling, then rename. A reader sees the old content or the new, never half of it.
 * @throws the file system's error, with the path in it.
 */
export const writeFileAtomic = (
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): void => stageFile(path, content, options).commit();

/**
 * Does the same as {@link writeFileAtomic} in a thread of Node's pool, for a file whose folder exists: making and renaming a file
 * waits for the file system's journal, which waits for the syncs of other programs.
 * @throws the file system's error, with the path in it; nothing is left beside the file then.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Removes a file, and the temporary files that a writer left beside it because it was killed before it moved them to their place.
 */
export function removeWithUnfinished(path: string): void {
  rmSync(path, { force: true });
  const folder = dirname(path);
  for (const name of namesIn(folder))
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'))
      rmSync(join(folder, name), { force: true });
}

/** A file whose disk space is reserved before its content is known, so that a disk that fills up cannot prevent the write. */
export class ReservedFile {
  readonly #path: string;
  readonly #temporary: string;

  /** @param bytes the most that will be written. @throws the file system's error. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#temporary = `${path}.tmp`;
    const file = openSync(this.#temporary, 'w', 0o600);
    try {
      writeSync(file, ' '.repeat(bytes));
    } finally {
      closeSync(file);
    }
  }

  /** Writes the content into the reserved space, and moves the file to its place in one step. */
  write(content: string): void {
    const file = openSync(this.#temporary, 'r+');
    try {
      writeSync(file, content, 0);
      ftruncateSync(file, Buffer.byteLength(content));
    } finally {
      closeSync(file);
    }
    renameSync(this.#temporary, this.#path);
  }

  /** Gives the reserved space back. */
  release(): void {
    rmSync(this.#temporary, { force: true });
  }
}
