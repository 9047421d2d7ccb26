import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../foundation/make-folder.js';

/** A file that is set aside when it would grow over a size: `x.log` becomes `x.log.1`, that becomes `x.log.2`, … */
export class RotatingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #backupCount: number;
  #file: number | null = null;
  #bytes = 0;

  /** @param backupCount how many are kept; with 0 a full file is deleted. */
  constructor(path: string, maxBytes: number, backupCount: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#backupCount = backupCount;
  }

  /** @throws the file system's error. */
  append(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    const file = this.#open();
    if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) {
      this.close();
      this.#rotate();
      this.append(line);
      return;
    }
    writeSync(file, `${line}\n`);
    this.#bytes += bytes;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #open(): number {
    if (this.#file !== null) return this.#file;
    makeFolder(dirname(this.#path), 0o700);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
    return this.#file;
  }

  #rotate(): void {
    const name = (index: number): string => (index === 0 ? this.#path : `${this.#path}.${index}`);
    rmSync(name(this.#backupCount), { force: true });
    for (let index = this.#backupCount - 1; index >= 0; index -= 1)
      renameIfThere(name(index), name(index + 1));
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
