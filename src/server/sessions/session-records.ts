import { pausedSql } from '../../dispatch/queue/queue-tables.js';
import { requestSql } from '../../dispatch/queue/request-table.js';
import { eventSql, type StoredEvent } from '../../events/event-table.js';
import { findKeySql, type KeyedCall, type KeyScope } from '../../storage/idempotency-keys.js';
import { interruptSql } from '../../turn/turn-schema.js';
import { type TurnRow, turnSql } from '../../turn/turn-table.js';

/** A prompt or an interrupt that a gateway took under a key. */
export interface QueuedSubmission {
  request_id: string;
  request_kind: string;
  payload_json: string;
  result_json: string | null;
}

/** A request of a gateway's queue that neither waits nor runs any more. */
export interface EndedRequest {
  request_id: string;
  state: string;
  error_detail: string | null;
}

/** The part of a database that is needed for reading. */
interface Readable {
  prepare(source: string): { all(...parameters: unknown[]): unknown[] };
}

/**
 * The records of a session, whichever program wrote them; one statement per method. A table that does not exist yet
 * counts as empty.
 */
export class SessionRecords {
  readonly #store: Readable;
  readonly #prepared = new Map<string, ReturnType<Readable['prepare']>>();

  constructor(store: Readable) {
    this.#store = store;
  }

  turn(turnId: string): TurnRow | null {
    return this.#all<TurnRow>(turnSql.find, turnId)[0] ?? null;
  }
  /** Returns turns, the latest begun first, with only the beginning of their answers. */
  newest(limit: number): TurnRow[] {
    return this.#all(turnSql.newest, limit);
  }
  running(): TurnRow | null {
    return this.#all<TurnRow>(turnSql.running).at(-1) ?? null;
  }
  /** Returns when an interrupt of a running turn was requested. */
  interruptRequested(turnId: string): string | null {
    const [row] = this.#all<{ requested_at_utc: string }>(interruptSql.requestedAt, turnId);
    return row?.requested_at_utc ?? null;
  }
  /** Returns the turn that ended last. */
  latestEnded(): TurnRow | null {
    return this.#all<TurnRow>(turnSql.latestEnded)[0] ?? null;
  }
  /** Returns the index that the next turn will have. */
  nextIndex(): number {
    const [row] = this.#all<{ last: number | null }>(turnSql.lastIndex);
    return (row?.last ?? 0) + 1;
  }
  /** Returns the request in a gateway's queue whose prompt is to become that turn. */
  waitingFor(turnId: string): string | null {
    return this.#all<{ request_id: string }>(requestSql.waitingForTurn, turnId)[0]?.request_id ?? null;
  }
  /** Returns the request that named that turn and ended before it, which few do: completed ones have had their turn. */
  endedFor(turnId: string): EndedRequest | null {
    return this.#all<EndedRequest>(requestSql.endedBeforeTurn, turnId)[0] ?? null;
  }
  /** Returns events of its gateway and of its turns, oldest first. */
  eventsAfter(seq: number, limit: number): StoredEvent[] {
    return this.#all(eventSql.after, seq, Number.MAX_SAFE_INTEGER, limit);
  }
  /** Returns the number of the last event; 0 when there is none. */
  lastEvent(): number {
    const [row] = this.#all<{ seq: number | null }>(eventSql.last, Number.MAX_SAFE_INTEGER);
    return row?.seq ?? 0;
  }
  /** Returns whether the queue of its gateway takes requests and starts none. */
  isQueuePaused(): boolean {
    return this.#all<{ paused: number }>(pausedSql)[0]?.paused === 1;
  }
  /** Returns the prompt or interrupt that a server gave the agent under that key. */
  submission(key: string): KeyedCall | null {
    const scope: KeyScope = 'server';
    return this.#all<KeyedCall>(findKeySql, scope, key)[0] ?? null;
  }
  queuedSubmission(key: string): QueuedSubmission | null {
    return this.#all<QueuedSubmission>(requestSql.underKey, key)[0] ?? null;
  }

  #all<Row>(source: string, ...parameters: unknown[]): Row[] {
    try {
      let statement = this.#prepared.get(source);
      if (!statement) {
        statement = this.#store.prepare(source);
        this.#prepared.set(source, statement);
      }
      return statement.all(...parameters) as Row[];
    } catch (error) {
      if ((error as Error).message.startsWith('no such table')) return [];
      throw error;
    }
  }
}
