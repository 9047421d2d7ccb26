import { isRecord } from './json-value.js';
import { oneLine } from './one-line.js';

const ENTRIES_SHOWN = 4;
const NESTING_SHOWN = 2;

/** Arguments of an action on one line: `(command=ls, timeout=5)`, the first four entries; '' for none. */
export function argumentSummary(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return oneLine(`(${shownItems(value, NESTING_SHOWN)})`);
  if (isRecord(value)) return oneLine(`(${shownEntries(value, '=', NESTING_SHOWN)})`);
  return oneLine(`(${shown(value, NESTING_SHOWN)})`);
}

// Own bounded printer: JSON.stringify would print all of a huge value and overflows on deep ones.
function shown(value: unknown, depth: number): string {
  if (typeof value === 'string') return oneLine(value);
  if (Array.isArray(value)) return depth === 0 ? '[...]' : `[${shownItems(value, depth - 1)}]`;
  if (isRecord(value)) return depth === 0 ? '{...}' : `{${shownEntries(value, ': ', depth - 1)}}`;
  return String(value);
}

function shownItems(items: readonly unknown[], depth: number): string {
  const parts = items.slice(0, ENTRIES_SHOWN).map((item) => shown(item, depth));
  return withMore(parts, items.length);
}

function shownEntries(record: Record<string, unknown>, sign: string, depth: number): string {
  const keys = Object.keys(record);
  const parts = keys
    .slice(0, ENTRIES_SHOWN)
    .map((key) => `${oneLine(key)}${sign}${shown(record[key], depth)}`);
  return withMore(parts, keys.length);
}

function withMore(parts: string[], total: number): string {
  return (total > ENTRIES_SHOWN ? [...parts, '...'] : parts).join(', ');
}
