import type { CanonicalDraft } from './canonical-event.js';
import { boundedText, diagnosticDraft } from './diagnostic-draft.js';
import { isRecord } from './json-value.js';
import type { ToolAdapter } from './tool-adapter.js';

/** A row that stands behind other text is looked for at so many places: each try reads the rest of the line. */
const mostStarts = 16;

/**
 * What one line of the tool's stdout means; a line that is no JSON object becomes a diagnostic. So does text before a row: a hook
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

/** The row that the line ends with. */
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
