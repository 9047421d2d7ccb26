import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { filesAside } from '../foundation/set-aside.js';

/** A place in a log that is set aside from time to time: a file by its inode, and the bytes of it that were read. */
export interface LogPlace {
  readonly inode: number;
  readonly offset: number;
}

/** The place before anything was written. */
export const logStart: LogPlace = { inode: 0, offset: 0 };

/** Prints a place as the contract has it: `next_after`, and `after` of the next call. */
export const placeWords = ({ inode, offset }: LogPlace): string => `${inode}-${offset}`;

/** Reads what {@link placeWords} printed. */
export function readPlace(text: string): LogPlace {
  const [inode = 0, offset = 0] = text.split('-').map(Number);
  return { inode, offset };
}

/** Whole lines of a log, without line breaks, and the place behind them. */
export interface LogLines {
  readonly lines: readonly string[];
  readonly place: LogPlace;
}

const chunkBytes = 64 * 1024;
/** The bytes that are read at a time at most; a line that is longer is taken in pieces. */
const mostBytes = 256 * 1024;
const lookMilliseconds = 300;

/**
 * Returns the last lines of a log; where it has fewer, older ones come from the files that were set aside. None where it does not
 * exist. A line that is still being written is left for later.
 * @throws the file system's error
 */
export function lastLines(path: string, count: number): LogLines {
  const last = endOf(path, count);
  if (last === null) return { lines: [], place: logStart };
  let lines = last.lines;
  for (const older of filesAside(path))
    if (lines.length < count) lines = [...(endOf(older, count - lines.length)?.lines ?? []), ...lines];
  return { lines, place: last.place };
}

/**
 * Returns the lines behind a place, none where there are none yet. A file that was set aside is read to its end first, one that was
 * replaced or made shorter from its beginning.
 * @throws the file system's error
 */
export function linesAfter(path: string, place: LogPlace): LogLines {
  // The youngest first: the log itself.
  const files = [path, ...filesAside(path)];
  const known = files.findIndex((file) => statusOf(file)?.ino === place.inode);
  let offset = known === -1 ? 0 : place.offset;
  // From the beginning all of them count; behind a file that is gone, those aside may have been read.
  const first = place.inode === logStart.inode ? files.length - 1 : Math.max(known, 0);
  for (let at = first; at >= 0; at -= 1) {
    const read = readFrom(files[at]!, offset, at > 0);
    if (read !== null && (read.lines.length > 0 || at === 0)) return read;
    offset = 0;
  }
  return { lines: [], place };
}

/** How long a reader waits for the next lines. */
export interface LogPatience {
  readonly clock: Clock;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until there are lines behind a place.
 * @param path null where there is no log, and no line ever comes
 * @returns none when the time is over, or `signal` aborts before
 */
export async function nextLines(
  path: string | null,
  place: LogPlace,
  { clock, milliseconds, signal }: LogPatience,
): Promise<LogLines> {
  const deadline = clock.monotonic() + milliseconds;
  for (;;) {
    const read = path === null ? { lines: [], place } : linesAfter(path, place);
    const left = deadline - clock.monotonic();
    if (read.lines.length > 0 || left <= 0 || signal.aborted) return read;
    await clock.sleep(Math.min(lookMilliseconds, left), signal);
  }
}

const statusOf = (file: string): Stats | undefined => statSync(file, { throwIfNoEntry: false });

/** Does something with an open file. @returns null where there is none */
function withFile<T>(path: string, work: (file: number, status: Stats) => T): T | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return work(file, fstatSync(file));
  } finally {
    closeSync(file);
  }
}

/** Returns the last whole lines of one file. */
const endOf = (path: string, count: number): LogLines | null =>
  withFile(path, (file, { ino, size }) => {
    let [text, from] = [Buffer.alloc(0), size];
    // One line break more than lines is needed: the text before the first break may be half a line.
    while (from > 0 && breaksIn(text) <= count) {
      const length = Math.min(chunkBytes, from);
      from -= length;
      text = Buffer.concat([bytesAt(file, from, length), text]);
    }
    const whole = text.lastIndexOf(lineBreak) + 1;
    const lines = linesIn(text.subarray(0, whole));
    const place = { inode: ino, offset: size - text.length + whole };
    return { lines: count === 0 ? [] : lines.slice(-count), place };
  });

/**
 * Returns the whole lines of one file from an offset on.
 * @param isOver nothing more is written to it: its last line counts without a line break
 */
const readFrom = (path: string, offset: number, isOver: boolean): LogLines | null =>
  withFile(path, (file, { ino, size }) => {
    const from = offset > size ? 0 : offset;
    let text = Buffer.alloc(0);
    const isEnd = (): boolean => from + text.length >= size;
    while (!isEnd() && text.length < mostBytes && !text.includes(lineBreak))
      text = Buffer.concat([
        text,
        bytesAt(file, from + text.length, Math.min(chunkBytes, size - from - text.length)),
      ]);
    const whole = text.lastIndexOf(lineBreak) + 1;
    const taken = (isOver && isEnd()) || (whole === 0 && text.length >= mostBytes) ? text.length : whole;
    return { lines: linesIn(text.subarray(0, taken)), place: { inode: ino, offset: from + taken } };
  });

const lineBreak = 0x0a;

/** Splits whole lines; a last one without a line break counts. */
function linesIn(text: Buffer): string[] {
  const lines = text.toString('utf8').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const breaksIn = (text: Buffer): number =>
  text.reduce((sum, byte) => (byte === lineBreak ? sum + 1 : sum), 0);

function bytesAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}
