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

/**
 * Writes a value in the form of every JSON file that other programs read: two spaces, sorted keys, ASCII, trailing newline
 * (docs/decisions.md#published-files).
 */
export const toJsonFile = (value: Json): string =>
  `${escapeNonAscii(JSON.stringify(sortKeys(value), null, 2))}\n`;

/** Writes one line of a `.jsonl` file: sorted keys, `", "` and `": "` between the parts, ASCII. */
export const toJsonLine = (value: Json): string => escapeNonAscii(written(value, ', ', ': '));

/** Writes compact JSON with sorted keys, ASCII. */
export const toAsciiJson = (value: Json): string => escapeNonAscii(toSortedJson(value));

/** Writes compact JSON with sorted keys: equal values have equal texts. */
export const toSortedJson = (value: Json): string =>
  isSorted(value) ? JSON.stringify(value) : written(value, ',', ':');

/** Decides whether a value is a plain object that `JSON.stringify` writes in the same form: keys sorted, no nested objects. */
function isSorted(value: Json): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  let before = '';
  for (const name in value) {
    const inner = (value as Record<string, Json>)[name];
    if (name < before || (typeof inner === 'object' && inner !== null)) return false;
    before = name;
  }
  return true;
}

/** Writes in one pass: making a sorted copy first would cost twice as much. */
function written(value: Json, comma: string, colon: string): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((inner) => written(inner, comma, colon)).join(comma)}]`;
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const inner = (value as Record<string, Json>)[name];
    if (inner === undefined) continue;
    text += `${text === '' ? '' : comma}${JSON.stringify(name)}${colon}${written(inner, comma, colon)}`;
  }
  return `{${text}}`;
}

/**
 * Returns the first characters of a value as JSON: all of it when it has at most `count`, otherwise more than `count` of them.
 * Content beyond that, however large or deep, is never visited.
 */
export function jsonStart(value: unknown, count: number): string {
  let text = '';
  const write = (inner: unknown): void => {
    if (text.length > count) return;
    if (Array.isArray(inner)) writeArray(inner);
    else if (inner !== null && typeof inner === 'object') writeObject(inner as Record<string, unknown>);
    else if (typeof inner === 'string') text += JSON.stringify(inner.slice(0, count + 1));
    else text += JSON.stringify(inner) ?? 'null';
  };
  const writeArray = (list: readonly unknown[]): void => {
    text += '[';
    for (let index = 0; index < list.length && text.length <= count; index += 1) {
      if (index > 0) text += ',';
      write(list[index]);
    }
    text += ']';
  };
  const writeObject = (object: Readonly<Record<string, unknown>>): void => {
    text += '{';
    let first = true;
    for (const key of Object.keys(object)) {
      if (text.length > count) break;
      text += `${first ? '' : ','}${JSON.stringify(key.slice(0, count + 1))}:`;
      first = false;
      write(object[key]);
    }
    text += '}';
  };
  write(value);
  return text;
}
