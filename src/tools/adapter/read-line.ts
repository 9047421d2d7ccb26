import type { CanonicalDraft } from './canonical-event.js';
import { boundedText, diagnosticDraft } from './diagnostic-draft.js';
import { isRecord } from './json-value.js';
import type { ToolAdapter } from './tool-adapter.js';

/** What one line of the tool's stdout means; a line that is no JSON object becomes a diagnostic. */
export function readLine(line: string, adapter: Pick<ToolAdapter, 'readRow'>): CanonicalDraft[] {
  if (line.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [diagnosticDraft('raw_text', 'warning', line, null)];
  }
  if (isRecord(value)) return adapter.readRow(value);
  const shown = boundedText(line.trim());
  return [
    diagnosticDraft('non_mapping', 'warning', shown, {
      value: shown.length < line.trim().length ? shown : value,
    }),
  ];
}
