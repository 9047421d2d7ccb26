import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, toMicrosecondStamp } from '../foundation/clock.js';
import { toAsciiJson } from '../foundation/json-text.js';
import { makeFolder } from '../foundation/make-folder.js';
import { setAside } from '../foundation/set-aside.js';
import {
  type DiagnosticEntry,
  deduplicate,
  noRun,
  type RepeatRun,
  redactFields,
  type StampedEntry,
  summaries,
} from './diagnostic-entry.js';

/**
 * `logs/diagnostics/gateway-diagnostic.log`: one compact JSON object per line, for finding the cause of a fault
 * (docs/decisions.md#diagnostic-log). It never delays the gateway's work: an entry that cannot be written is lost, and that is
 * reported once.
 */
export class DiagnosticLog {
  readonly #file: RotatingFile;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  #run: RepeatRun = noRun;
  #broken = false;

  /** @param report called once when the file cannot be written, and again only after a write has succeeded since. */
  constructor(file: RotatingFile, clock: Clock, report: (fault: string) => void) {
    this.#file = file;
    this.#clock = clock;
    this.#report = report;
  }

  note(entry: DiagnosticEntry): void {
    const stamped = { ...entry, timestampUtc: toMicrosecondStamp(this.#clock.now()) };
    const { write, run } = deduplicate(this.#run, stamped);
    this.#run = run;
    for (const one of write) this.#append(one);
  }

  close(): void {
    for (const summary of summaries(this.#run)) this.#append(summary);
    this.#run = noRun;
    this.#file.close();
  }

  #append(entry: StampedEntry): void {
    try {
      this.#file.append(toLine(entry));
      this.#broken = false;
    } catch (error) {
      if (!this.#broken) this.#report(`the diagnostic log could not be written: ${(error as Error).message}`);
      this.#broken = true;
    }
  }
}

const toLine = ({ level, event, fields, dedupKey, timestampUtc }: StampedEntry): string =>
  toAsciiJson({
    ...(redactFields(fields) as object),
    ...(dedupKey === null ? {} : { dedup_key: dedupKey }),
    schema_version: 1,
    timestamp_utc: timestampUtc,
    level,
    event,
  });

/** A file that is set aside when it would grow over a size: `x.log` becomes `x.log.1`, which becomes `x.log.2`, and so on. */
export class RotatingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #backupCount: number;
  #file: number | null = null;
  #bytes = 0;

  /** @param backupCount the number of old files that are kept; with 0 a full file is deleted. */
  constructor(path: string, maxBytes: number, backupCount: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#backupCount = backupCount;
  }

  /** @throws the file system's error. */
  append(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    const file = this.#open();
    if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) {
      this.close();
      setAside(this.#path, this.#backupCount);
      this.append(line);
      return;
    }
    writeSync(file, `${line}\n`);
    this.#bytes += bytes;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #open(): number {
    if (this.#file !== null) return this.#file;
    makeFolder(dirname(this.#path), 0o700);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#bytes = fstatSync(this.#file).size;
    return this.#file;
  }
}
