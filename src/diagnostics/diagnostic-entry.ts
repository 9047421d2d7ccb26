/** One line of the diagnostic log before it is written (docs/decisions.md#diagnostic-log). */
export interface DiagnosticEntry {
  level: 'info' | 'warning' | 'error';
  event: string;
  fields: Readonly<Record<string, unknown>>;
  /** The key that equal warnings or errors share; null for an info, which is written as often as it happens. */
  dedupKey: string | null;
}

export interface StampedEntry extends DiagnosticEntry {
  timestampUtc: string;
}

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
/** The current run, by key. */
export type RepeatRun = ReadonlyMap<string, Repeated>;
export const noRun: RepeatRun = new Map();

/** Returns the entries to write for a new one, in order, and the run that continues. */
export function deduplicate(run: RepeatRun, entry: StampedEntry): { write: StampedEntry[]; run: RepeatRun } {
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

/** Returns one `diagnostic.dedup_summary` for each key whose repeats were counted. */
export const summaries = (run: RepeatRun): StampedEntry[] =>
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

/** The names of fields that are never written, whatever their values: they may hold prompts or secrets. */
const droppedNames: ReadonlySet<string> = new Set([
  'attachment',
  'attachments',
  'attachment_contents',
  'authorization',
  'bearer',
  'body',
  'body_content',
  'cookie',
  'cookies',
  'credential',
  'credentials',
  'credential_file',
  'credential_ref',
  'env',
  'environment',
  'password',
  'prompt',
  'raw_body',
  'raw_prompt',
  'refresh_token',
  'secret',
  'token',
]);
const droppedEndings = /_(?:authorization|body|cookie|credential|env|password|prompt|secret|token)$/;

const isDropped = (name: string): boolean => {
  const lower = name.toLowerCase();
  return droppedNames.has(lower) || droppedEndings.test(lower);
};

/** Returns the same value without the fields that must not be written, at any depth. */
export function redactFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactFields);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isDropped(name))
      .map(([name, inner]) => [name, redactFields(inner)]),
  );
}
