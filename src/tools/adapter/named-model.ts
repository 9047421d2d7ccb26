import type { CanonicalDraft } from './canonical-event.js';
import { recordOf, textOf } from './json-value.js';

/** The model with which a turn begins, as its first row names it; null in every other event, and where the tool is silent. */
export function namedModel({ kind, provider_event_type, raw_payload }: CanonicalDraft): string | null {
  const begins = kind === 'session' || provider_event_type === 'system.init';
  return begins ? textOf(recordOf(raw_payload)?.model) : null;
}
