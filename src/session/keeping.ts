import { type Static, Type } from '@sinclair/typebox';
import { writeFileAtomic } from '../foundation/atomic-file.js';
import { toJsonFile } from '../foundation/json-text.js';
import { type LogKeeping, usualLogKeeping } from '../foundation/set-aside.js';
import { Closed, jsonFile, Nullable } from './file-schema.js';

/** The limits of what may be requested. */
export const keepingLimits = {
  days: { minimum: 1, maximum: 99_999 },
  bytes: { minimum: 1024, maximum: 1024 ** 4 },
  files: { minimum: 0, maximum: 1000 },
} as const;

const KeepingSchema = Closed({
  schema_version: Type.Literal(1),
  /** Null keeps finished requests for ever. */
  retain_days: Nullable(Type.Integer(keepingLimits.days)),
  log_bytes: Nullable(Type.Integer(keepingLimits.bytes)),
  log_files: Nullable(Type.Integer(keepingLimits.files)),
  log_days: Nullable(Type.Integer(keepingLimits.days)),
});

/** How long a session keeps finished requests and logs; null stands for the default. */
export type SessionKeeping = Omit<Static<typeof KeepingSchema>, 'schema_version'>;
/** The settings to change; the others stay as they are. */
export type KeepingChange = Partial<SessionKeeping>;

/** `gateway/keeping.json`: the attacher writes it, the gateway reads it when it starts (docs/decisions.md#keeping). */
export const keepingFile = jsonFile(KeepingSchema, 'correct it, or move it aside to use the defaults');

const usual: SessionKeeping = { retain_days: null, log_bytes: null, log_files: null, log_days: null };

/** Returns the settings of a session. @throws {UnusableFile} */
export const readKeeping = (path: string): SessionKeeping => {
  const { schema_version: _, ...kept } = keepingFile.read(path) ?? { ...usual, schema_version: 1 };
  return kept;
};

/** Changes settings; the others stay. @throws {UnusableFile} when the file exists and cannot be read: it is left unchanged then. */
export function changeKeeping(path: string, change: KeepingChange): void {
  if (Object.keys(change).length === 0) return;
  writeFileAtomic(path, toJsonFile({ schema_version: 1, ...readKeeping(path), ...change }));
}

/** Pure: returns how the logs of a session are kept. */
export const logKeepingOf = (keeping: KeepingChange | null): LogKeeping => ({
  maxBytes: keeping?.log_bytes ?? usualLogKeeping.maxBytes,
  files: keeping?.log_files ?? usualLogKeeping.files,
  days: keeping?.log_days ?? usualLogKeeping.days,
});

type Read = { readonly value: number | null } | { readonly trouble: string };

/** Reads one setting from a text, such as the value of a flag. */
export const keepingTexts = {
  retain_days: (text: string): Read => (text === 'never' ? { value: null } : days(text, ', or never')),
  log_bytes: (text: string): Read =>
    within(
      parseBytes(text),
      keepingLimits.bytes,
      'It must be a size from 1K to 1024G: 512K, 10M, 1G, or a number of bytes.',
    ),
  log_files: (text: string): Read =>
    within(wholeNumber(text), keepingLimits.files, 'It must be a whole number, from 0 to 1000.'),
  log_days: (text: string): Read => days(text, ''),
} satisfies Record<keyof SessionKeeping, (text: string) => Read>;

const days = (text: string, or: string): Read =>
  within(wholeNumber(text), keepingLimits.days, `It must be a whole number of days, from 1 to 99999${or}.`);

const wholeNumber = (text: string): number | null => (/^\d{1,12}$/.test(text) ? Number(text) : null);

const within = (
  value: number | null,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
  trouble: string,
): Read => (value === null || value < minimum || value > maximum ? { trouble } : { value });

const units = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 } as const;

/** Parses a number of bytes: `512K`, `10M`, `1G`, or a plain whole number; null for anything else. */
function parseBytes(text: string): number | null {
  const [, count, unit] = /^(\d{1,12})([KMG]?)$/i.exec(text) ?? [];
  if (count === undefined) return null;
  return Number(count) * (unit ? units[unit.toUpperCase() as keyof typeof units] : 1);
}

/** Prints bytes as `--log-size` takes them, in the largest unit that leaves a whole number. */
export function byteWords(bytes: number): string {
  const fitting = Object.entries(units)
    .reverse()
    .find(([, size]) => bytes >= size && bytes % size === 0);
  return fitting === undefined ? `${bytes}` : `${bytes / fitting[1]}${fitting[0]}`;
}
