import { isRecord } from './json-value.js';
import type { CanonicalDraft, ToolAdapter } from './tool-adapter.js';

/** The longest summary of a row, in code points. */
const summaryLimit = 160;

/** Puts `text` on one line: white space collapsed, cut to `limit` code points with `...` at the end. */
export function oneLine(text: string, limit: number = summaryLimit): string {
  // A tool result may be megabytes long; four times the limit is enough to fill one line.
  const head = text.trimStart().slice(0, limit * 4);
  const points = Array.from(head.replace(/\s+/g, ' ').trim());
  return points.length <= limit ? points.join('') : `${points.slice(0, limit - 3).join('')}...`;
}

/** The longest text that is kept in a diagnostic; the whole line stays in the artifact files. */
const textLimit = 4096;

export type Severity = 'warning' | 'error';

export function diagnosticDraft(
  providerEventType: string,
  severity: Severity,
  text: string,
  rawPayload: unknown,
  extra: Record<string, unknown> = {},
): CanonicalDraft {
  return {
    kind: 'diagnostic',
    message: oneLine(text),
    provider_event_type: providerEventType,
    data: { severity, text: boundedText(text), ...extra },
    raw_payload: rawPayload,
  };
}

/** Makes a diagnostic of a non-empty line that the tool wrote to stderr. */
export function stderrDraft(line: string): CanonicalDraft {
  return diagnosticDraft('stderr', 'warning', line, { line: boundedText(line) }, { stream: 'stderr' });
}

export function boundedText(text: string): string {
  return text.length <= textLimit ? text : `${text.slice(0, textLimit - 3)}...`;
}

const entriesShown = 4;
const nestingShown = 2;

/** Prints the arguments of an action on one line: `(command=ls, timeout=5)`, the first four entries; '' for none. */
export function argumentSummary(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return oneLine(`(${shownItems(value, nestingShown)})`);
  if (isRecord(value)) return oneLine(`(${shownEntries(value, '=', nestingShown)})`);
  return oneLine(`(${shown(value, nestingShown)})`);
}

// This printer is bounded: JSON.stringify would print all of a huge value and overflows the stack on deep ones.
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

/** Makes an event of a row whose meaning is not known: it is kept unchanged. */
export function passthroughDraft(providerEventType: string, raw: Record<string, unknown>): CanonicalDraft {
  const { type: _type, ...rest } = raw;
  const summary = argumentSummary(rest);
  return {
    kind: 'passthrough',
    message: oneLine(`${providerEventType}${summary}`),
    provider_event_type: providerEventType,
    data: { summary },
    raw_payload: raw,
  };
}

/** The number of places at which a row behind other text is searched for: each try parses the rest of the line. */
const mostStarts = 16;

/**
 * Reads one line of the tool's stdout. A line that is not a JSON object becomes a diagnostic. So does text before a row: a hook
 * or a wrapper may print it without ending its line.
 */
export function readLine(line: string, adapter: Pick<ToolAdapter, 'readRow'>): CanonicalDraft[] {
  if (line.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    const found = rowBehindText(line);
    return found === null
      ? [rawText(line)]
      : [...(found.text.trim() === '' ? [] : [rawText(found.text)]), ...adapter.readRow(found.row)];
  }
  if (isRecord(value)) return adapter.readRow(value);
  const shown = boundedText(line.trim());
  return [
    diagnosticDraft('non_mapping', 'warning', shown, {
      value: shown.length < line.trim().length ? shown : value,
    }),
  ];
}

const rawText = (text: string): CanonicalDraft => diagnosticDraft('raw_text', 'warning', text, null);

/** Finds the row at the end of a line. */
function rowBehindText(line: string): { text: string; row: Record<string, unknown> } | null {
  if (!line.trimEnd().endsWith('}')) return null;
  let at = line.indexOf('{"');
  for (let tries = 0; at >= 0 && tries < mostStarts; tries += 1, at = line.indexOf('{"', at + 1)) {
    try {
      const row: unknown = JSON.parse(line.slice(at));
      if (isRecord(row) && typeof row.type === 'string') return { text: line.slice(0, at), row };
    } catch {
      // The text has a brace of its own.
    }
  }
  return null;
}
