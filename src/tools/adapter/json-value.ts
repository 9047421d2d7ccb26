/** Readers for JSON of unknown shape: they return null instead of throwing. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Record<string, unknown> | null {
  return isRecord(value) ? value : null;
}

export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns a string that contains more than white space. */
export function visibleTextOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Parses a line as a row; null if it is not a JSON object. */
export function rowOf(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Converts a text, or milliseconds since 1970, to a time in ISO 8601; null if it is not a time. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Returns the text of a message: a string, or the joined texts of its parts; null if it has none. */
export function messageText(content: unknown, between: string): string | null {
  if (typeof content === 'string') return content;
  const texts = (listOf(content) ?? []).map((part) => textOf(recordOf(part)?.text));
  const found = texts.filter((text) => text !== null);
  return found.length > 0 ? found.join(between) : null;
}
