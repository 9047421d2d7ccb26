import { toJsonLine } from '../foundation/json-text.js';
import { entryOf, type LogLevel } from './catalogue.js';
import { fits } from './event-fields.js';
import type { StoredEvent } from './event-table.js';
import { type LogLine, renderLine } from './log-line.js';
import { dataOf } from './read-event.js';

/** The line of an event in `events.jsonl`; null when it has none there. A kind that is not known is told of as it is. */
export function toEventLine(event: StoredEvent): string | null {
  if (entryOf(event.kind)?.inEventsFile === false) return null;
  return toJsonLine({ ...dataOf(event), seq: event.seq, at_utc: event.at_utc, kind: event.kind });
}

/** The same line as earlier versions wrote it, without number and common time: a file may end with such lines. */
export function toFormerEventLine(event: StoredEvent): string | null {
  if (entryOf(event.kind)?.inEventsFile === false) return null;
  return toJsonLine({ ...dataOf(event), kind: event.kind });
}

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
