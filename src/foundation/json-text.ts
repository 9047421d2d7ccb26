type Json = unknown;

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

const escapeNonAscii = (text: string): string =>
  text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A JSON file as the seeds' files are: two spaces, sorted keys, ASCII, trailing newline (gateway §3.2). */
export const toJsonFile = (value: Json): string =>
  `${escapeNonAscii(JSON.stringify(sortKeys(value), null, 2))}\n`;

/** One line of a `.jsonl` file: sorted keys, `", "` and `": "` between the parts, ASCII (gateway §3.2). */
export function toJsonLine(value: Json): string {
  return escapeNonAscii(spaced(sortKeys(value)));
}

function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const parts = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`);
  return `{${parts.join(', ')}}`;
}

/** Compact JSON with sorted keys, ASCII. */
export const toAsciiJson = (value: Json): string => escapeNonAscii(JSON.stringify(sortKeys(value)));

/** Compact JSON with sorted keys: equal values have equal texts. */
export const toSortedJson = (value: Json): string => JSON.stringify(sortKeys(value));
