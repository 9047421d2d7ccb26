import { constants, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LineSplitter } from '../../foundation/line-splitter.js';

export interface FollowedLines {
  /** @param offset the start of the line, in bytes. */
  line(text: string, offset: number): void;
  /** The file was replaced or rewritten: the next line is its first one. */
  restarted(): void;
}

const chunkBytes = 256 * 1024;
/** The number of bytes at the end of the last read that are compared before the next read. */
const rememberedBytes = 64;

/**
 * Reads what is appended to a file, line by line. The file may be created late, removed, created again, or rewritten. A line
 * counts once its newline is there; a line of more than 16 MiB is skipped. The file is not kept open between two reads.
 */
export class FollowedFile {
  readonly #path: string;
  readonly #lines: FollowedLines;
  #splitter: LineSplitter;
  #offset: number;
  /** The identity of the file that was read, and its last bytes; null before the first read and while there is no file. */
  #read: { identity: string; tail: Buffer } | null = null;

  /** @param start the start of the first line to read, in bytes; a file that is shorter is read from its beginning. */
  constructor(path: string, start: number, lines: FollowedLines) {
    this.#path = path;
    this.#lines = lines;
    this.#offset = start;
    this.#splitter = this.#splitterFrom(start);
  }

  /** The start of the first line that was not passed on yet, in bytes. */
  get rowStart(): number {
    return this.#splitter.lineStart;
  }

  /** Passes on the lines that were appended since the last call. Rejects if the file cannot be read. */
  async catchUp(): Promise<void> {
    const file = await openIfThere(this.#path);
    if (file === null) {
      this.#restart();
      return;
    }
    try {
      await this.#catchUp(file);
    } finally {
      await file.close();
    }
  }

  async #catchUp(file: FileHandle): Promise<void> {
    const { dev, ino, size } = await file.stat();
    const identity = `${dev}:${ino}`;
    if (size < this.#offset || !(await this.#isSame(file, identity))) this.#restart();
    let tail = this.#read?.tail ?? Buffer.alloc(0);
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size - this.#offset));
    while (chunk.length > 0) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, this.#offset);
      if (bytesRead === 0) break;
      const bytes = chunk.subarray(0, bytesRead);
      this.#offset += bytesRead;
      tail = Buffer.concat([tail, bytes.subarray(-rememberedBytes)]).subarray(-rememberedBytes);
      this.#splitter.take(bytes);
    }
    this.#read = { identity, tail };
  }

  /**
   * Decides whether this is still the file that was read. A new file may get the inode of the one before, and a rewritten one may
   * be longer, so the last bytes are compared, too.
   */
  async #isSame(file: FileHandle, identity: string): Promise<boolean> {
    if (this.#read === null) return true;
    const { identity: before, tail } = this.#read;
    if (identity !== before) return false;
    const now = Buffer.alloc(tail.length);
    await file.read(now, 0, now.length, this.#offset - tail.length);
    return now.equals(tail);
  }

  #restart(): void {
    this.#read = null;
    if (this.#offset === 0) return;
    this.#offset = 0;
    this.#splitter = this.#splitterFrom(0);
    this.#lines.restarted();
  }

  #splitterFrom(offset: number): LineSplitter {
    return new LineSplitter(
      { line: (text, _wellFormed, start) => this.#lines.line(text, start), oversized: () => undefined },
      offset,
    );
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait until a process writes to it.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Reads a file as text; null if there is none. */
export const readText = (path: string): string | null => unlessAbsent(() => readFileSync(path, 'utf8'));

/** Returns the names in a folder; none if there is no such folder. */
export const namesIn = (folder: string): readonly string[] => unlessAbsent(() => readdirSync(folder)) ?? [];

function unlessAbsent<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // ESRCH is the error of /proc for a process that ends meanwhile.
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].includes(code)) return null;
    throw error;
  }
}
