import { isPromptMetadata, promptMetadataPattern } from '../../contract/prompt-metadata.js';
import { isIsoInstant, isoInstantPattern } from '../../foundation/clock.js';

/** Decides whether a text can be given to a process: well-formed Unicode without NUL (docs/decisions.md#formats-and-patterns). */
export const isProcessText = (text: string): boolean => !text.includes('\0') && !hasLoneSurrogate(text);

// Node 20 has `isWellFormed`, the ES2023 types do not. A pattern takes ten times as long for sixteen megabytes.
const hasLoneSurrogate = (text: string): boolean =>
  !(text as string & { isWellFormed(): boolean }).isWellFormed();

/** Our own formats, as express-openapi-validator takes them. */
export const ownFormats = {
  'process-text': { type: 'string', validate: isProcessText },
  'iso-instant': { type: 'string', validate: isIsoInstant },
  'prompt-metadata': { type: 'string', validate: isPromptMetadata },
} as const;

/**
 * The pattern that still has to be checked when our own format holds; null when none has to. The contract writes patterns
 * beside our formats for tools that do not know these formats. The patterns themselves are not checked: for a large text they
 * take ten times as long, for millions of emoji V8 throws a RangeError, and a text that breaks both would be reported twice.
 * Any other pattern beside a format is checked as it is.
 */
export const patternsBesideFormats: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'process-text': { '^[^\\x00]*$': null, '^\\s*[^\\s\\x00][^\\x00]*$': '\\S' },
  'iso-instant': { [isoInstantPattern]: null },
  'prompt-metadata': { [promptMetadataPattern]: null },
};
