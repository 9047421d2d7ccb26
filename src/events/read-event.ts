import { type EventKind, entryOf, type StoredData } from './catalogue.js';
import { fits, object } from './event-fields.js';
import type { StoredEvent } from './event-table.js';

type Common = Pick<StoredEvent, 'seq' | 'at_utc' | 'subject_id'>;
export type KnownEvent = {
  [K in EventKind]: Common & { kind: K; data: StoredData<K> };
}[EventKind];
/** An event that another version wrote: of a kind that this one does not know, or without a field that the kind has. */
export interface OtherEvent extends Common {
  kind: 'other';
  /** `fields` is null where they cannot be read, or where nobody here knows whether they are for callers. */
  data: { kind: string; fields: Readonly<Record<string, unknown>> | null };
}

/** What the event says, whether or not its kind is known; null where that cannot be read. */
export function dataOf(event: StoredEvent): Readonly<Record<string, unknown>> | null {
  if (event.data) return event.data;
  try {
    const data: unknown = JSON.parse(event.data_json);
    return object(data) ? data : null;
  } catch {
    return null;
  }
}

/** The event as callers see it. Whatever the table holds, what comes of it is an event of the contract. */
export function readEvent(stored: StoredEvent): KnownEvent | OtherEvent {
  const { seq, at_utc, kind, subject_id } = stored;
  const entry = entryOf(kind);
  const data = dataOf(stored);
  if (entry && data && fits(entry.fields, data))
    return { seq, at_utc, kind, subject_id, data: entry.shown ?? data } as KnownEvent;
  return {
    seq,
    at_utc,
    kind: 'other',
    subject_id,
    data: { kind, fields: entry ? (entry.shown ?? data) : null },
  };
}
