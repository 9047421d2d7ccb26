import { isUtf8 } from 'node:buffer';

/** The longest row that is parsed; a longer one stays on disk and is reported by its length. */
export const maxRowBytes = 16 * 1024 * 1024;

export interface LineSink {
  /**
   * @param wellFormed false when some bytes were not UTF-8 and became U+FFFD.
   * @param offset the position where the line begins, in bytes.
   */
  line(text: string, wellFormed: boolean, offset: number): void;
  oversized(bytes: number): void;
}

/** Cuts bytes into lines. */
export class LineSplitter {
  readonly #sink: LineSink;
  #parts: Buffer[] = [];
  #length = 0;
  #position: number;
  #lineStart: number;

  /** @param offset the position of the first bytes, in bytes. */
  constructor(sink: LineSink, offset = 0) {
    this.#sink = sink;
    this.#position = offset;
    this.#lineStart = offset;
  }

  /** The position where the line begins that was not handed over yet, in bytes. */
  get lineStart(): number {
    return this.#lineStart;
  }

  take(bytes: Buffer): void {
    const base = this.#position;
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      this.#keep(bytes.subarray(start, end));
      start = end + 1;
      this.#position = base + start;
      this.end();
    }
    this.#position = base + bytes.length;
    // The caller reuses its buffer, so the rest must be copied.
    if (start < bytes.length) this.#keep(Buffer.from(bytes.subarray(start)));
  }

  /** Hands over the rest that has no newline yet. */
  end(): void {
    const [parts, length, offset] = [this.#parts, this.#length, this.#lineStart];
    this.#parts = [];
    this.#length = 0;
    this.#lineStart = this.#position;
    if (length === 0) return;
    if (length > maxRowBytes) {
      this.#sink.oversized(length);
      return;
    }
    const line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length);
    this.#sink.line(line.toString('utf8'), isUtf8(line), offset);
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length > maxRowBytes) this.#parts = [];
    else this.#parts.push(bytes);
  }
}
