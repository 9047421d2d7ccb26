import { argumentSummary } from './argument-summary.js';
import type { CanonicalDraft } from './canonical-event.js';
import { oneLine } from './one-line.js';

/** A row that is kept, although its meaning is not known. */
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
