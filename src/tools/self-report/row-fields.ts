import { isRecord, listOf, recordOf, textOf } from '../adapter/json-value.js';

/** A line as a row; null when it is none. */
export function rowOf(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A time in ISO 8601 from a text or from milliseconds since 1970; null when it is no time. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The text of a message: a string, or the texts of its parts; null when it has none. */
export function messageText(content: unknown, between: string): string | null {
  if (typeof content === 'string') return content;
  const texts = (listOf(content) ?? []).map((part) => textOf(recordOf(part)?.text));
  const found = texts.filter((text) => text !== null);
  return found.length > 0 ? found.join(between) : null;
}
