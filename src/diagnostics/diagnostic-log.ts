import type { Clock } from '../foundation/clock.js';
import { toAsciiJson } from '../foundation/json-text.js';
import { toMicrosecondStamp } from '../foundation/timestamps.js';
import { deduplicate, noRun, type Run, summaries } from './dedup.js';
import type { DiagnosticEntry, StampedEntry } from './diagnostic-entry.js';
import { redactFields } from './redact-fields.js';
import type { RotatingFile } from './rotating-file.js';

/**
 * `logs/diagnostics/gateway-diagnostic.log`: one compact JSON object per line, for finding the cause of a fault
 * (docs/decisions.md#diagnostic-log). It never holds work up: an entry that cannot be written is lost, and that is
 * reported once.
 */
export class DiagnosticLog {
  readonly #file: RotatingFile;
  readonly #clock: Clock;
  readonly #report: (fault: string) => void;
  #run: Run = noRun;
  #broken = false;

  /** @param report called once when the file cannot be written. */
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
