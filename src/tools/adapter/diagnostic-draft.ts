import type { CanonicalDraft } from './canonical-event.js';
import { oneLine } from './one-line.js';

/** Longest text kept in a diagnostic; the whole line stays in the artifact files. */
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

/** A non-empty line that the tool wrote to stderr. */
export function stderrDraft(line: string): CanonicalDraft {
  return diagnosticDraft('stderr', 'warning', line, { line: boundedText(line) }, { stream: 'stderr' });
}

export function boundedText(text: string): string {
  return text.length <= textLimit ? text : `${text.slice(0, textLimit - 3)}...`;
}
