import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../foundation/clock.js';

const chunkBytes = 64 * 1024;
const lookMs = 300;

/** The last whole lines of a file, and where the file ended behind them, in bytes. */
export function lastLines(path: string, count: number): { lines: string[]; end: number } {
  const file = openSync(path, 'r');
  try {
    const end = fstatSync(file).size;
    let [text, from] = [Buffer.alloc(0), end];
    // One break more than lines: what stands before the first break may be half a line.
    while (from > 0 && breaksIn(text) <= count) {
      const length = Math.min(chunkBytes, from);
      from -= length;
      text = Buffer.concat([bytesAt(file, from, length), text]);
    }
    const whole = text.lastIndexOf('\n') + 1;
    const lines = text.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
    return { lines: count === 0 ? [] : lines.slice(-count), end: end - text.length + whole };
  } finally {
    closeSync(file);
  }
}

const breaksIn = (text: Buffer): number => text.reduce((sum, byte) => (byte === 0x0a ? sum + 1 : sum), 0);

function bytesAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}

export interface Follower {
  tell(lines: readonly string[]): void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * Tells the lines that are added to a file behind `from`, until `signal` aborts. A file that is put in its place, or made shorter,
 * is read from its beginning; one that is away is waited for.
 */
export async function followText(
  path: string,
  from: number,
  { tell, signal, clock }: Follower,
): Promise<void> {
  let [offset, inode, rest, decoder] = [from, 0n, '', new StringDecoder('utf8')];
  while (!signal.aborted) {
    const added = addedTo(path, offset, inode);
    if (added?.isAnother) [rest, decoder] = ['', new StringDecoder('utf8')];
    if (added) {
      ({ offset, inode } = added);
      const lines = (rest + decoder.write(added.bytes)).split('\n');
      rest = lines.pop() ?? '';
      tell(lines);
    }
    if (!added || added.bytes.length === 0) await clock.sleep(lookMs, signal);
  }
}

/** Null while the file is not there. */
function addedTo(path: string, offset: number, inode: bigint) {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { ino, size } = fstatSync(file, { bigint: true });
    const isAnother = (inode !== 0n && ino !== inode) || size < BigInt(offset);
    const from = isAnother ? 0 : offset;
    const bytes = bytesAt(file, from, chunkBytes);
    return { isAnother, inode: ino, offset: from + bytes.length, bytes };
  } finally {
    closeSync(file);
  }
}
