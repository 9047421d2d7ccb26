import { watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type LineSink, LineSplitter } from '../foundation/line-splitter.js';

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
