import { isIsoInstant, isoInstantPattern } from '../../foundation/timestamps.js';

/** Text that a process can be given: well-formed Unicode without NUL (docs/decisions.md#formats-and-patterns). */
export const isProcessText = (text: string): boolean => !text.includes('\0') && !hasLoneSurrogate(text);

// Node 20 has it, the ES2023 types do not. A pattern takes ten times as long over sixteen megabytes.
const hasLoneSurrogate = (text: string): boolean =>
  !(text as string & { isWellFormed(): boolean }).isWellFormed();

/** The formats of our own, as express-openapi-validator takes them. */
export const ownFormats = {
  'process-text': { type: 'string', validate: isProcessText },
  'iso-instant': { type: 'string', validate: isIsoInstant },
} as const;

/**
 * What is left to check of the patterns that the contract writes beside our formats for tools that do not know them, once
 * the format holds; null where nothing is. The patterns themselves are not asked: over a large text they take ten times
 * as long, over millions of emoji V8 throws a RangeError, and what breaks both would be told twice. Another pattern
 * beside a format is checked as it is.
 */
export const patternsBesideFormats: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'process-text': { '^[^\\x00]*$': null, '^\\s*[^\\s\\x00][^\\x00]*$': '\\S' },
  'iso-instant': { [isoInstantPattern]: null },
};
