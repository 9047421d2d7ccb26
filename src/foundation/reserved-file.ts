import { closeSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

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
