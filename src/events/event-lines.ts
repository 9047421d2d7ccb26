import { toJsonLine } from '../foundation/json-text.js';
import { entryOf, type LogLevel } from './catalogue.js';
import { fits } from './event-fields.js';
import type { StoredEvent } from './event-table.js';
import { type LogLine, renderLine } from './log-line.js';
import { dataOf } from './read-event.js';

/** The line of an event in `events.jsonl`. A kind that is not known is told of as it is. */
export const toEventLine = (event: StoredEvent): string =>
  toJsonLine({
    ...(entryOf(event.kind)?.shown ?? dataOf(event)),
    seq: event.seq,
    at_utc: event.at_utc,
    kind: event.kind,
  });

const formerlyLeftOut: ReadonlySet<string> = new Set([
  ...['request_started', 'instance_observed', 'gateway_started', 'gateway_stopping', 'recovered', 'fault'],
  'reminder_deferral_told',
]);

/** The same line as earlier versions wrote it, without number and common time, or null where they wrote none: a file may end so. */
export const toFormerEventLine = (event: StoredEvent): string | null =>
  formerlyLeftOut.has(event.kind) ? null : toJsonLine({ ...dataOf(event), kind: event.kind });

/** The line of an event in `gateway.log`: `<time> <message>`; null when it has none. */
export function toLogLine(event: StoredEvent): string | null {
  const logged = logOf(event);
  return logged && `${event.at_utc} ${renderLine(logged.line)}`;
}

/** What the log says of an event, in its parts, and how much it matters; null when it says nothing. */
export function logOf(event: StoredEvent): { level: LogLevel; line: LogLine } | null {
  const entry = entryOf(event.kind);
  if (!entry?.log) return null;
  const data = dataOf(event);
  return data && fits(entry.fields, data) ? { level: entry.log.level, line: entry.log.line(data) } : null;
}
