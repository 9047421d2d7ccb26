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

/** Content that is written, but does not stand in its place yet. */
export interface StagedFile {
  /** Puts it in its place, in one step. @throws the file system's error; nothing is left beside the file then. */
  commit(): void;
  discard(): void;
}

const temporaryBeside = (path: string): string => `${path}.${newUuid()}.tmp`;

interface WriteOptions {
  /** fsync before the content gets in its place, for files that must survive a power loss. */
  durable?: boolean;
  /** Access rights, 0600 unless told. */
  mode?: number;
}

/**
 * Writes a temporary sibling of a file, and its folder where there is none.
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
      // Writes all of it, even if the disk takes it in pieces.
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
 * {@link writeFileAtomic} by a thread of Node's pool, for a file whose folder is there: making and renaming a file waits for
 * the file system's journal, which waits for the syncs of others.
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

/** Takes away a file, and what a writer left beside it that was killed before the content stood in its place. */
export function removeWithUnfinished(path: string): void {
  rmSync(path, { force: true });
  const folder = dirname(path);
  for (const name of namesIn(folder))
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'))
      rmSync(join(folder, name), { force: true });
}

/** A file whose room on the disk is taken before its content is known, so that a disk that fills up cannot cost it. */
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

  /** Puts the file in its place, in one step. */
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

  /** Gives the room back. */
  release(): void {
    rmSync(this.#temporary, { force: true });
  }
}
