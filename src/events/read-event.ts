import type { ServerSentEvent } from '../contract/event-stream.js';
import { toJsonLine } from '../foundation/json-text.js';
import {
  type EventKind,
  type EventLevel,
  entryOf,
  type LogLine,
  renderLine,
  type StoredData,
} from './catalogue.js';
import { fits, object } from './event-fields.js';
import type { StoredEvent } from './event-table.js';

type Common = Pick<StoredEvent, 'seq' | 'at_utc' | 'subject_id'>;
export type KnownEvent = {
  [K in EventKind]: Common & { kind: K; data: StoredData<K> };
}[EventKind];
/** An event that another version wrote: its kind is unknown to this version, or it lacks a field of its kind. */
export interface OtherEvent extends Common {
  kind: 'other';
  /**
   * `fields` is null when the data cannot be read, or when the kind is unknown: this version cannot decide whether its
   * fields are for callers.
   */
  data: { kind: string; fields: Readonly<Record<string, unknown>> | null };
}

/** Returns the data of an event, whether or not its kind is known; null when it cannot be read. */
export function dataOf(event: StoredEvent): Readonly<Record<string, unknown>> | null {
  if (event.data) return event.data;
  try {
    const data: unknown = JSON.parse(event.data_json);
    return object(data) ? data : null;
  } catch {
    return null;
  }
}

/** Converts an event to the form that callers see. The result is an event of the contract, whatever the table holds. */
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

/** Returns the line of an event in `events.jsonl`. The data of an unknown kind is written unchanged. */
export const toEventLine = (event: StoredEvent): string =>
  toJsonLine({
    ...(entryOf(event.kind)?.shown ?? dataOf(event)),
    seq: event.seq,
    at_utc: event.at_utc,
    kind: event.kind,
  });

/** Returns the line of an event in `gateway.log`: `<time> <message>`; null when it has none. */
export function toLogLine(event: StoredEvent): string | null {
  const logged = logOf(event);
  return logged && `${event.at_utc} ${renderLine(logged.line)}`;
}

/** Returns the log line of an event, in parts, and its level; null when it has none. */
export function logOf(event: StoredEvent): { level: EventLevel; line: LogLine } | null {
  const entry = entryOf(event.kind);
  if (!entry?.log) return null;
  const data = dataOf(event);
  return data && fits(entry.fields, data) ? { level: entry.log.level, line: entry.log.line(data) } : null;
}

/** Returns the events of a page as a stream has them. */
export const streamedEvents = ({
  events,
}: {
  readonly events: readonly { readonly seq: number; readonly kind: string }[];
}): ServerSentEvent[] => events.map((data) => ({ id: String(data.seq), event: data.kind, data }));
