// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.

import type { components } from '../../generated/gateway/types.js';
import type { EventKind, NewEvent, StoredData } from '../../src/events/catalogue.js';
import type { Journal } from '../../src/events/journal.js';
import type { KnownEvent, OtherEvent } from '../../src/events/read-event.js';

type GatewayEvent = components['schemas']['GatewayEvent'];
declare const journal: Pick<Journal, 'event'>;
declare const known: KnownEvent;
declare const other: OtherEvent;
declare const event: GatewayEvent;
const at = '2026-03-13T00:00:00+00:00';

// The catalogue and the contract have the same kinds with the same data.
type Same<A, B> = [A, B] extends [B, A] ? true : false;
/** Without the index that every open object has. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type InContract<K extends EventKind> = Named<Extract<GatewayEvent, { kind: K }>['data']>;
/** The names too: a field that may be absent is no difference to the compiler. */
type Agrees<K extends EventKind> = Same<
  [Named<StoredData<K>>, keyof StoredData<K>],
  [InContract<K>, keyof InContract<K>]
>;
type Apart = { [K in EventKind]: Agrees<K> extends true ? never : K }[EventKind];
export const agreed: [Apart] extends [never] ? true : Apart = true;
export const kinds: Same<EventKind | 'other', GatewayEvent['kind']> = true;
export const served: GatewayEvent[] = [known, other];

// Emitted events are in the catalogue.
journal.event(at, { kind: 'queue_paused', subjectId: null, data: { queue_depth: 1, at_utc: at } });
journal.event(at, { kind: 'gateway_stopping', subjectId: null, data: {} });
// @ts-expect-error no such kind
journal.event(at, { kind: 'queue_pausd', subjectId: null, data: { queue_depth: 1, at_utc: at } });
// @ts-expect-error a field is missing
journal.event(at, { kind: 'queue_paused', subjectId: null, data: { at_utc: at } });
// @ts-expect-error a field that the kind does not have
journal.event(at, { kind: 'queue_paused', subjectId: null, data: { queue_depth: 1, at_utc: at, by: 'me' } });
// @ts-expect-error a field of another type
journal.event(at, { kind: 'queue_paused', subjectId: null, data: { queue_depth: '1', at_utc: at } });
// @ts-expect-error the data of another kind
journal.event(at, { kind: 'queue_paused', subjectId: null, data: { turn_id: 't', finished_at_utc: at } });
// @ts-expect-error what only stored events may lack
journal.event(at, {
  kind: 'turn_confirmed',
  subjectId: 't',
  data: { turn_id: 't', evidence: 'x', at_utc: at },
});
// @ts-expect-error `other` is what readers are given, not what is written
journal.event(at, { kind: 'other', subjectId: null, data: { kind: 'x', fields: null } });
declare const pausedOrResumed: 'queue_paused' | 'queue_resumed';
export const either: NewEvent = {
  kind: pausedOrResumed,
  subjectId: null,
  data: { queue_depth: 1, at_utc: at },
};

// A reader distinguishes the kinds.
if (event.kind === 'turn_ended') {
  const outcome: 'completed' | 'failed' | 'interrupted' | 'replaced' = event.data.outcome;
  // @ts-expect-error a stored event may lack it
  const request: string | null = event.data.request_id;
  console.log(outcome, request);
}
// @ts-expect-error no kind is called so
if (event.kind === 'turn_over') console.log(event);
