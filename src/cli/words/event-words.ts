import type { Schemas } from '@houmao/sdk';
import { catalogue, type EventLevel, line, renderLine } from '../../events/catalogue.js';
import { logOf } from '../../events/read-event.js';
import { localStamp } from './local-time.js';
import type { Paint } from './terminal-output.js';

type GatewayEvent = Schemas['GatewayEvent'];

/** All kinds of the contract: those that this version knows, and `other` for the rest. */
export const eventKinds: readonly string[] = [...Object.keys(catalogue), 'other'];

const kindWidth = Math.max(...eventKinds.map((kind) => kind.length));

/** Returns the kind of an event; for an event of a newer gateway, that gateway's own word. */
const kindOf = (event: GatewayEvent): string => (event.kind === 'other' ? event.data.kind : event.kind);

/** Decides whether an event is of one of these kinds. @param kinds none means all. */
export const isOfKinds = (event: GatewayEvent, kinds: readonly string[]): boolean =>
  kinds.length === 0 || kinds.includes(event.kind) || kinds.includes(kindOf(event));

/** Prints an event in one line: number, time, kind, a description and the ids in it. */
export function eventLine(event: GatewayEvent): string {
  const { seq, at_utc, subject_id } = event;
  const kind = kindOf(event);
  const data = event.kind === 'other' ? (event.data.fields ?? {}) : event.data;
  const logged = logOf({ seq, at_utc, kind, subject_id, data_json: '', data });
  const words = renderLine(logged ? logged.line : line('', factsOf(data))).trim();
  return `${String(seq).padStart(5)}  ${localStamp(at_utc)}  ${kind.padEnd(kindWidth)}  ${words}`.trimEnd();
}

type Fact = string | number | boolean;

/** Returns the fields that fit in a word or a number, without the time, which the line begins with. */
function factsOf(data: Readonly<Record<string, unknown>>): Record<string, Fact> {
  const isFact = (value: unknown): value is Fact => ['string', 'number', 'boolean'].includes(typeof value);
  return Object.fromEntries(
    Object.entries(data).filter(
      (entry): entry is [string, Fact] => !entry[0].endsWith('at_utc') && isFact(entry[1]),
    ),
  );
}

const ofLevel = (level: EventLevel): RegExp => {
  const kinds = Object.entries(catalogue).filter(([, { log }]) => log?.level === level);
  return new RegExp(`(?<=^ *\\d+ {2}\\S+ {2})(?:${kinds.map(([kind]) => kind).join('|')})(?= |$)`);
};

/** The colours of the kinds that an operator should look at. */
export const eventPaints: readonly Paint[] = [
  { pattern: ofLevel('warning'), format: 'yellow' },
  { pattern: ofLevel('error'), format: 'red' },
];
