import type { Readable } from 'node:stream';

/** A text answer that is sent as it is read, so that a large file never is in memory. */
export class StreamedText {
  /** In bytes. */
  readonly length: number;
  /** UTF-8, read once. Whoever does not read it to its end destroys it. */
  readonly source: Readable;

  constructor(length: number, source: Readable) {
    this.length = length;
    this.source = source;
  }
}
