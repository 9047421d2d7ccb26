import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../foundation/clock.js';
import { makeFolder } from '../foundation/make-folder.js';
import { isRecord, rowOf } from '../tools/adapter/json-value.js';
import type { RowPlace } from '../tools/self-report/self-report.js';
import { inPieces, type PartDraft } from './turn-parts.js';

// `parts.jsonl` of a turn: a line per part, in the order in which they were seen. It is only appended to, so the place of a line
// in it names the part for ever. A headless turn's runner writes it, a terminal's turn the program that follows it.

/** A line of the file. */
type StoredPart = PartDraft & {
  readonly at_utc: string;
  /** The row of the agent's own files that it comes from, for a terminal. */
  readonly from?: RowPlace;
};

const lostParts = 'Parts of the turn could not be stored; the record of the turn is whole.';
const damagedLine = 'A line of the stored parts is damaged; the record of the turn is whole.';

/** Appends the parts of a turn. On a full disk parts are lost, and the next one that fits comes behind a gap. */
export class PartWriter {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  readonly #folder: 'made' | 'expected';
  #descriptor: number | null = null;
  #isBroken = false;
  #isReported = false;

  /**
   * @param report called once, when the file cannot be written.
   * @param folder whether the first part makes the folder, or another program has: one that has vanished stays away.
   */
  constructor(
    path: string,
    clock: Clock,
    report: (fault: string) => void,
    folder: 'made' | 'expected' = 'made',
  ) {
    this.#path = path;
    this.#clock = clock;
    this.#report = report;
    this.#folder = folder;
  }

  write(part: PartDraft, from: RowPlace | null = null): void {
    for (const piece of inPieces(part)) this.#append(piece, from);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #append(part: PartDraft, from: RowPlace | null): void {
    try {
      const line = this.#lineOf(part, from);
      // A part that was written by half is ended first.
      const text = this.#isBroken ? `\n${this.#lineOf(gap(lostParts), null)}${line}` : line;
      this.#isBroken = true;
      this.#descriptor ??= this.#open();
      if (writeSync(this.#descriptor, text) < Buffer.byteLength(text)) throw new Error('the disk is full');
      this.#isBroken = false;
    } catch (error) {
      if (!this.#isReported) this.#report(`parts.jsonl could not be written: ${(error as Error).message}`);
      this.#isReported = true;
    }
  }

  #open(): number {
    if (this.#folder === 'made') makeFolder(dirname(this.#path), 0o700);
    return openSync(this.#path, 'a', 0o600);
  }

  #lineOf(part: PartDraft, from: RowPlace | null): string {
    const stored: StoredPart = {
      ...part,
      at_utc: this.#clock.now().toISOString(),
      ...(from !== null && { from }),
    };
    return `${JSON.stringify(stored)}\n`;
  }
}

const gap = (detail: string): PartDraft => ({ kind: 'gap', data: { detail } });

/** A part of the file, with the place behind it, in bytes. */
export interface ReadPart {
  readonly end: number;
  readonly part: StoredPart;
}

/** Longer than every line that is written. */
const readBytes = 1024 * 1024;

/**
 * Reads the parts behind a place. A line that is being written is left for later; a damaged one is a gap.
 * @param start a place behind a line, in bytes; 0 for the beginning.
 * @returns the oldest parts; none for a turn without a file.
 * @throws the file system's error, unless it is that there is no such file.
 */
export function readParts(path: string, start: number, most: number): ReadPart[] {
  const bytes = bytesAt(path, start);
  const parts: ReadPart[] = [];
  let from = 0;
  let before: ReadPart | undefined;
  for (let end = bytes.indexOf(10); end !== -1 && parts.length < most; end = bytes.indexOf(10, from)) {
    const line = bytes.toString('utf8', from, end);
    from = end + 1;
    if (line === '') continue;
    const part = partIn(line, before?.part.at_utc ?? beginning);
    // A line that broke off, and the gap that was noted behind it, are one gap.
    if (part.kind === 'gap' && before?.part.kind === 'gap') parts.pop();
    before = { end: start + from, part };
    parts.push(before);
  }
  return parts;
}

const beginning = new Date(0).toISOString();

function bytesAt(path: string, start: number): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const length = Math.min(readBytes, Math.max(0, fstatSync(file).size - start));
    const buffer = Buffer.allocUnsafe(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, start));
  } finally {
    closeSync(file);
  }
}

const kinds: ReadonlySet<unknown> = new Set<PartDraft['kind']>([
  'text',
  'reasoning',
  'tool_use',
  'tool_result',
  'notice',
  'usage',
  'dialog_shown',
  'dialog_closed',
  'gap',
]);

/** @param before the time of the part before it, for a line that has none. */
function partIn(line: string, before: string): StoredPart {
  const row = rowOf(line);
  const at_utc = typeof row?.at_utc === 'string' ? row.at_utc : before;
  return row !== null && kinds.has(row.kind) && isRecord(row.data)
    ? (row as unknown as StoredPart)
    : { ...gap(damagedLine), at_utc };
}
