import { constants, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { LineSplitter } from '../../foundation/line-splitter.js';

export interface FollowedLines {
  /** @param offset where the line begins, in bytes. */
  line(text: string, offset: number): void;
  /** The file is another one now, or was written anew: the next line is its first one. */
  restarted(): void;
}

const chunkBytes = 256 * 1024;
/** So much of what was read last is compared before more is read. */
const rememberedBytes = 64;

/**
 * Reads what is appended to a file, line by line. The file may come late, go, come again, or be written anew. A line counts
 * once its newline is there; one of more than 16 MiB is passed over. Nothing is kept open between two looks.
 */
export class FollowedFile {
  readonly #path: string;
  readonly #lines: FollowedLines;
  #splitter: LineSplitter;
  #offset: number;
  /** Which file was read, and the last bytes of it; null before the first look and while there is no file. */
  #read: { identity: string; tail: Buffer } | null = null;

  /** @param start where the first row begins that is wanted, in bytes; a file that is shorter is read from its beginning. */
  constructor(path: string, start: number, lines: FollowedLines) {
    this.#path = path;
    this.#lines = lines;
    this.#offset = start;
    this.#splitter = this.#splitterFrom(start);
  }

  /** Where the first row begins that was not handed over yet, in bytes. */
  get rowStart(): number {
    return this.#splitter.lineStart;
  }

  /** Hands over what was appended since the last look. Rejects when the machine refuses to read. */
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

  /** A new file may get the inode of the one before, and a rewritten one may be longer: so its bytes are compared, too. */
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
    // A pipe in its place would be waited for, until somebody writes to it.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

const isAbsence = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Reads a file as text; null when it is not there. */
export const readText = (path: string): string | null => unlessAbsent(() => readFileSync(path, 'utf8'));

/** The names in a folder; none when it is not there. */
export const namesIn = (folder: string): readonly string[] => unlessAbsent(() => readdirSync(folder)) ?? [];

function unlessAbsent<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // ESRCH: what /proc answers for a process that ends meanwhile.
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].includes(code)) return null;
    throw error;
  }
}
