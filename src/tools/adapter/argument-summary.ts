import { isRecord } from './json-value.js';
import { oneLine } from './one-line.js';

const entriesShown = 4;
const nestingShown = 2;

/** Arguments of an action on one line: `(command=ls, timeout=5)`, the first four entries; '' for none. */
export function argumentSummary(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return oneLine(`(${shownItems(value, nestingShown)})`);
  if (isRecord(value)) return oneLine(`(${shownEntries(value, '=', nestingShown)})`);
  return oneLine(`(${shown(value, nestingShown)})`);
}

// Own bounded printer: JSON.stringify would print all of a huge value and overflows on deep ones.
function shown(value: unknown, depth: number): string {
  if (typeof value === 'string') return oneLine(value);
  if (Array.isArray(value)) return depth === 0 ? '[...]' : `[${shownItems(value, depth - 1)}]`;
  if (isRecord(value)) return depth === 0 ? '{...}' : `{${shownEntries(value, ': ', depth - 1)}}`;
  return String(value);
}

function shownItems(items: readonly unknown[], depth: number): string {
  const parts = items.slice(0, entriesShown).map((item) => shown(item, depth));
  return withMore(parts, items.length);
}

function shownEntries(record: Record<string, unknown>, sign: string, depth: number): string {
  const keys = Object.keys(record);
  const parts = keys
    .slice(0, entriesShown)
    .map((key) => `${oneLine(key)}${sign}${shown(record[key], depth)}`);
  return withMore(parts, keys.length);
}

function withMore(parts: string[], total: number): string {
  return (total > entriesShown ? [...parts, '...'] : parts).join(', ');
}
