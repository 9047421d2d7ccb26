import { toAsciiJson } from '../foundation/json-text.js';

/** The labels that a caller gave a prompt. */
export type PromptMetadata = Readonly<Record<string, string>>;

export const metadataHeader = 'X-Houmao-Metadata';

const blank = String.raw`[ \t]*`;
const character = String.raw`([ !#-\[\]-~]|[\\](["\\/bfnrt]|u([0-9A-Ca-cE-Fe-f][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2}|[Dd][89ABab][0-9A-Fa-f]{2}[\\]u[Dd][C-Fc-f][0-9A-Fa-f]{2})))`;
const entry = `"[A-Za-z0-9._-]{1,64}"${blank}:${blank}"${character}*"${blank}`;
/** The pattern that openapi/components/formats.yaml writes beside the format `prompt-metadata`. */
export const promptMetadataPattern = `^${blank}\\{${blank}(${entry}(,${blank}${entry}){0,15})?\\}${blank}$`;

const grammar = new RegExp(promptMetadataPattern);
/** In characters of Unicode. */
const longestValue = 512;

/** The rule of the format `prompt-metadata`, for a 422. */
export const promptMetadataRule = [
  'must be a JSON object of at most 16 strings in ASCII, such as {"ticket":"HOU-1"}: each key once, 1 to 64 letters, digits, dots, - or _,',
  `each value at most ${longestValue} characters, others than ASCII as \\uXXXX`,
].join(' ');

/** Decides whether a text is metadata as the header has it. Pure. */
export function isPromptMetadata(text: string): boolean {
  if (!grammar.test(text)) return false;
  const values = Object.values(parsed(text));
  // Keys and values alternate; of a key that comes twice, JSON.parse keeps only the last value.
  const strings = text.match(/"([^"\\]|\\.)*"/g) ?? [];
  return strings.length === 2 * values.length && values.every((value) => [...value].length <= longestValue);
}

const parsed = (text: string): PromptMetadata => JSON.parse(text) as PromptMetadata;

/** Returns what a checked header says; null when it is left out, or has no entry. */
export function metadataOf(headers: {
  readonly [metadataHeader]?: string | undefined;
}): PromptMetadata | null {
  const text = headers[metadataHeader];
  const metadata = text === undefined ? {} : parsed(text);
  return Object.keys(metadata).length === 0 ? null : metadata;
}

/** Returns the text of the header; undefined, which leaves it out, when there is none. */
export const metadataText = (metadata: PromptMetadata | null): string | undefined =>
  metadata === null ? undefined : toAsciiJson(metadata);

/** Adds metadata to what an `Idempotency-Key` stands for. Without any it is the same as of an older release. */
export const withMetadata = <Body extends object>(
  body: Body,
  metadata: PromptMetadata | null,
): Body | { body: Body; metadata: PromptMetadata } => (metadata === null ? body : { body, metadata });

/** A label of a prompt. */
export type Label = readonly [key: string, value: string];

/** Decides whether a text is a label such as `ticket=HOU-1`, as the contract's filter has it. */
export const isLabel = (text: string): boolean => /^[A-Za-z0-9._-]{1,64}=/.test(text);

/** Reads labels such as `ticket=HOU-1`; all before the first `=` is the key. */
export const labelsIn = (texts: readonly string[] = []): Label[] =>
  texts.map((text) => {
    const end = text.indexOf('=');
    return [text.slice(0, end), text.slice(end + 1)];
  });

/** The 422 for an interrupt with metadata. */
export const labelledInterrupt = {
  detail: `${metadataHeader} goes with a prompt; an interrupt takes none. Nothing was interrupted.`,
};
