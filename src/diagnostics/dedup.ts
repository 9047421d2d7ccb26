import type { StampedEntry } from './diagnostic-entry.js';

// Warnings and errors that repeat are counted instead of written:
//
//   no run ──warning or error──▶ run of one key ──another key──▶ run of two keys
//     ▲                              │  └─ its key again: counted     │  └─ one of its keys again: counted
//     └────── an info, a third key, the end: a summary of what was counted ──────┘
//
// A run has two keys because one refused request produces two warnings, a failed validation and a finished request:
// with one key, callers that repeat their mistake would fill the log.

const keysOfARun = 2;

interface Repeated {
  first: StampedEntry;
  last: string;
  suppressed: number;
}
/** The run under way, by key. */
export type Run = ReadonlyMap<string, Repeated>;
export const noRun: Run = new Map();

/** What to write for an entry, in order, and the run that goes on. */
export function deduplicate(run: Run, entry: StampedEntry): { write: StampedEntry[]; run: Run } {
  const key = entry.dedupKey;
  if (key === null) return { write: [...summaries(run), entry], run: noRun };
  const known = run.get(key);
  if (known) {
    const repeated = { ...known, last: entry.timestampUtc, suppressed: known.suppressed + 1 };
    return { write: [], run: new Map([...run, [key, repeated]]) };
  }
  const fresh: [string, Repeated] = [key, { first: entry, last: entry.timestampUtc, suppressed: 0 }];
  return run.size < keysOfARun
    ? { write: [entry], run: new Map([...run, fresh]) }
    : { write: [...summaries(run), entry], run: new Map([fresh]) };
}

/** One `diagnostic.dedup_summary` for each key whose repeats were counted. */
export const summaries = (run: Run): StampedEntry[] =>
  [...run].flatMap(([key, { first, last, suppressed }]) =>
    suppressed === 0
      ? []
      : {
          level: first.level,
          event: 'diagnostic.dedup_summary',
          timestampUtc: last,
          dedupKey: null,
          fields: {
            dedup_key: key,
            first_event: first.event,
            first_timestamp_utc: first.timestampUtc,
            last_timestamp_utc: last,
            suppressed_count: suppressed,
          },
        },
  );
