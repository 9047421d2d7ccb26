import type { RequestRow } from '../../dispatch/queue/request-rows.js';
import { type Axes, activityOf, admissionOf } from '../../dispatch/readiness.js';
import type { EventKind, StoredData } from '../../events/catalogue.js';
import type { EventFollower } from '../../events/event-store.js';
import type { StoredEvent } from '../../events/event-table.js';
import { dataOf } from '../../events/read-event.js';
import type { Clock } from '../../foundation/clock.js';
import { ProgramMetrics, Tally } from '../../telemetry/program-metrics.js';
import type { TurnRow } from '../../turn/turn-table.js';

export interface GatewayMetricsParts {
  readonly clock: Clock;
  axes(): Axes;
  /** Whether the screen of the agent shows a question to a person. */
  waitsForPerson(): boolean;
  /** How often the notifier looked, woke the agent, and failed. */
  notifier(): { readonly polls: number; readonly wakes: number; readonly failures: number };
  /** Read only for what began before this gateway, or waited behind very many others. */
  request(requestId: string): RequestRow | null;
  turn(turnId: string): TurnRow | null;
}

/** A request whose acceptance was seen, and when, in milliseconds of a monotonic clock. */
interface Accepted {
  readonly kind: string;
  readonly at: number;
}
interface Begun {
  readonly origin: string;
  /** Null for a turn that was handed over before this gateway began. */
  handedOverAt: number | null;
  readonly claimedAt: number | null;
}

/** The most accepted requests that are kept in memory; the others are looked up. */
const mostAccepted = 10_000;
const deliveryBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
const turnBuckets = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200];

/** The figures of a gateway. They follow what is on disk, outside every transaction; the rest is read at each scrape. */
export class GatewayMetrics extends ProgramMetrics {
  readonly #parts: GatewayMetricsParts;
  readonly #requests = new Tally();
  readonly #turns = new Tally();
  readonly #storageFaults = new Tally();
  readonly #delivered: (origin: string, seconds: number) => void;
  readonly #turnEnded: (origin: string, seconds: number) => void;
  readonly #accepted = new Map<string, Accepted>();
  readonly #begun = new Map<string, Begun>();

  constructor(parts: GatewayMetricsParts) {
    super('houmao-gateway');
    this.#parts = parts;
    this.counter(
      'requests_total',
      'Requests of the queue that reached a state.',
      ['kind', 'state'],
      this.#requests,
    );
    this.counter('turns_total', 'Turns that ended.', ['origin', 'outcome'], this.#turns);
    this.#delivered = this.histogram(
      'delivery_seconds',
      'From the acceptance of a prompt to the sign that the agent took it.',
      deliveryBuckets,
    );
    this.#turnEnded = this.histogram(
      'turn_seconds',
      'The time of a turn in the agent: from the handing over of its prompt to its end.',
      turnBuckets,
    );
    this.counter(
      'storage_faults_total',
      'Faults that kept the queue from being stored.',
      ['code'],
      this.#storageFaults,
    );
    const ofNotifier = {
      polls: 'Looks of the mail notifier into the inbox.',
      wakes: 'Prompts that the mail notifier queued.',
      failures: 'Looks of the mail notifier that failed, and prompts of it that were not delivered.',
    } as const;
    for (const [name, help] of Object.entries(ofNotifier) as [keyof typeof ofNotifier, string][])
      this.counter(`notifier_${name}_total`, help, [], {
        *[Symbol.iterator]() {
          yield [[], parts.notifier()[name]];
        },
      });
    this.#addGauges();
  }

  /** Counts events once they are on disk. */
  readonly follow: EventFollower = (events) => {
    for (const event of events) this.#seen(event);
  };

  /** Counts a fault of the storage that has begun. */
  storageFault(code: string): void {
    this.#storageFaults.count(code);
  }

  #addGauges(): void {
    const { axes, waitsForPerson } = this.#parts;
    const one = (name: string, help: string, read: () => number | boolean): void =>
      this.gauge(name, help, [], (set) => set(Number(read())));
    one('queue_length', 'Requests that wait or run.', () => axes().queueDepth);
    one('queue_paused', 'Whether the queue is paused.', () => axes().paused);
    one('turn_running', 'Whether a turn runs.', () => activityOf(axes()) === 'running');
    one('waiting_for_person', 'Whether the agent shows a question to a person.', waitsForPerson);
    one('agent_connected', 'Whether the agent can be reached.', () => axes().agent.connected);
    one('accepts_requests', 'Whether new requests are taken.', () => admissionOf(axes()) === 'open');
    one(
      'storage_fault',
      'Whether a fault keeps the queue from being stored now.',
      () => axes().storageFault !== null,
    );
  }

  #seen(event: StoredEvent): void {
    switch (event.kind) {
      case 'accepted':
      case 'accepted_internal': {
        const { request_id, request_kind } = fieldsOf<'accepted'>(event);
        this.#requests.count(request_kind, 'accepted');
        if (this.#accepted.size < mostAccepted)
          this.#accepted.set(request_id, { kind: request_kind, at: this.#now() });
        return;
      }
      case 'request_started':
        this.#requests.count(fieldsOf<'request_started'>(event).request_kind, 'started');
        return;
      case 'completed':
      case 'failed':
      case 'cancelled':
        this.#final(fieldsOf<'completed'>(event).request_id, event.kind);
        return;
      case 'coalesced':
        for (const id of fieldsOf<'coalesced'>(event).coalesced_request_ids) this.#final(id, 'coalesced');
        return;
      case 'turn_claimed': {
        const { turn_id, origin } = fieldsOf<'turn_claimed'>(event);
        this.#begun.set(turn_id, { origin, claimedAt: this.#now(), handedOverAt: null });
        return;
      }
      case 'turn_handed_over': {
        const begun = this.#begunTurn(fieldsOf<'turn_handed_over'>(event).turn_id);
        begun.handedOverAt = this.#now();
        return;
      }
      case 'turn_confirmed':
        this.#confirmed(fieldsOf<'turn_confirmed'>(event));
        return;
      case 'turn_ended': {
        const { turn_id, outcome } = fieldsOf<'turn_ended'>(event);
        const { origin, handedOverAt } = this.#begunTurn(turn_id);
        this.#begun.delete(turn_id);
        this.#turns.count(origin, outcome);
        if (handedOverAt !== null) this.#turnEnded(origin, (this.#now() - handedOverAt) / 1000);
      }
    }
  }

  #final(requestId: string, state: string): void {
    const kind = this.#accepted.get(requestId)?.kind ?? this.#row(requestId)?.request_kind ?? 'unknown';
    this.#accepted.delete(requestId);
    this.#requests.count(kind, state);
  }

  #confirmed({ turn_id, request_id }: StoredData<'turn_confirmed'>): void {
    const { origin, claimedAt } = this.#begunTurn(turn_id);
    const seconds = this.#secondsSinceAcceptance(request_id ?? null, claimedAt);
    if (seconds !== null) this.#delivered(origin, seconds);
  }

  /** A prompt that was not queued is accepted when its turn is claimed. @returns null if it is not known. */
  #secondsSinceAcceptance(requestId: string | null, claimedAt: number | null): number | null {
    if (requestId === null) return claimedAt === null ? null : (this.#now() - claimedAt) / 1000;
    const accepted = this.#accepted.get(requestId);
    if (accepted) return (this.#now() - accepted.at) / 1000;
    const row = this.#row(requestId);
    return row && Math.max(0, (this.#parts.clock.now().getTime() - Date.parse(row.accepted_at_utc)) / 1000);
  }

  #begunTurn(turnId: string): Begun {
    const known = this.#begun.get(turnId);
    if (known) return known;
    const origin = lookedUp(() => this.#parts.turn(turnId))?.origin ?? 'unknown';
    const begun: Begun = { origin, claimedAt: null, handedOverAt: null };
    this.#begun.set(turnId, begun);
    return begun;
  }

  #row(requestId: string): RequestRow | null {
    return lookedUp(() => this.#parts.request(requestId));
  }

  #now(): number {
    return this.#parts.clock.monotonic();
  }
}

/** The fields of an event that this program has just written. */
const fieldsOf = <K extends EventKind>(event: StoredEvent): StoredData<K> =>
  (dataOf(event) ?? {}) as StoredData<K>;

/** Nothing is known of a row that a faulty store cannot read now; that fault is counted and reported elsewhere. */
function lookedUp<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
