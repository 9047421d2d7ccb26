import { isUtf8 } from 'node:buffer';
import { watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Longest row that is parsed; a longer one stays on disk and is reported by its length. */
export const maxRowBytes = 16 * 1024 * 1024;

export interface LineSink {
  /** @param wellFormed false when some bytes were not UTF-8 and became U+FFFD. */
  line(text: string, wellFormed: boolean): void;
  oversized(bytes: number): void;
}

/** File system events may be missed; a new row then waits this long at most. */
const pollMilliseconds = 200;
const chunkBytes = 256 * 1024;

/**
 * Hands over the lines of a growing file until `finished` aborts and its end is reached; a last line without newline
 * counts. Memory is bound by one chunk and one row, however long the file gets.
 */
export async function followLines(path: string, sink: LineSink, finished: AbortSignal): Promise<void> {
  const file = await open(path, 'r');
  const waiter = new ChangeWaiter(path, finished);
  const splitter = new LineSplitter(sink);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  try {
    for (;;) {
      // Checked before reading: everything written until then is in this read, so nothing is missed.
      const last = finished.aborted;
      const bytes = await readChunk(file, chunk);
      if (bytes > 0) splitter.take(chunk.subarray(0, bytes));
      else if (last) return splitter.end();
      else await waiter.changed();
    }
  } finally {
    waiter.close();
    await file.close();
  }
}

const readChunk = async (file: FileHandle, chunk: Buffer): Promise<number> =>
  (await file.read(chunk, 0, chunk.length)).bytesRead;

/** Waits for the file to grow. */
class ChangeWaiter {
  readonly #finished: AbortSignal;
  readonly #watcher;
  #wake: () => void = () => undefined;

  constructor(path: string, finished: AbortSignal) {
    this.#finished = finished;
    this.#watcher = watch(path, () => this.#wake());
    this.#watcher.on('error', () => undefined);
    finished.addEventListener('abort', this.#onFinished);
  }

  #onFinished = (): void => this.#wake();

  changed(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMilliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#finished.aborted) this.#wake();
    });
  }

  close(): void {
    this.#watcher.close();
    this.#finished.removeEventListener('abort', this.#onFinished);
  }
}

/** Cuts bytes into lines. */
export class LineSplitter {
  readonly #sink: LineSink;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  take(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      this.#keep(bytes.subarray(start, end));
      this.end();
      start = end + 1;
    }
    // The caller reuses its buffer, so what is kept must be a copy.
    if (start < bytes.length) this.#keep(Buffer.from(bytes.subarray(start)));
  }

  /** Hands over what has no newline yet. */
  end(): void {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length === 0) return;
    if (length > maxRowBytes) {
      this.#sink.oversized(length);
      return;
    }
    const line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length);
    this.#sink.line(line.toString('utf8'), isUtf8(line));
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length > maxRowBytes) this.#parts = [];
    else this.#parts.push(bytes);
  }
}
