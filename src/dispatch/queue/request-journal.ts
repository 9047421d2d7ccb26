import type { Journal } from '../../events/journal.js';
import type { Waiters } from '../../foundation/concurrency.js';
import { requestIds } from '../../foundation/ids.js';
import type { RecordError } from '../../run/record-error.js';
import type { Mirror } from '../../storage/group-commit.js';
import { IdempotencyKeys } from '../../storage/idempotency-keys.js';
import type { Store } from '../../storage/store.js';
import type { BegunTurn, TurnCompanion } from '../../turn/live-turn.js';
import { QueueControlTable } from './queue-tables.js';
import { isFinal, type RequestKind, type RequestRow } from './request-rows.js';
import { type NewRequestRow, RequestTable } from './request-table.js';

/** The end of a request; with `error` when it ends badly. */
export interface RequestOutcome {
  requestId: string;
  state: 'completed' | 'failed' | 'coalesced' | 'cancelled';
  error: RecordError | null;
  result: Record<string, unknown> | null;
}

const maxIdDraws = 20;

/**
 * The rows of the queue and their events. Depth and pause are mirrored in memory, so that reading them is free. Methods
 * that take `atUtc` are only called inside `Journal.write`.
 */
export class RequestJournal implements Mirror {
  readonly rows: RequestTable;
  readonly idempotency: IdempotencyKeys;
  readonly #control: QueueControlTable;
  readonly #newId = requestIds();
  readonly #journal: Journal;
  #depth: number;
  #paused: boolean;

  constructor(store: Store, journal: Journal) {
    this.rows = new RequestTable(store);
    this.idempotency = new IdempotencyKeys(store, 'request');
    this.#control = new QueueControlTable(store);
    this.#journal = journal;
    this.#depth = this.rows.countActive();
    this.#paused = this.#control.readPaused();
    journal.keep(this);
  }

  /** The number of requests accepted or running. */
  get depth(): number {
    return this.#depth;
  }

  /** Whether the queue is paused, so that it starts nothing. */
  get paused(): boolean {
    return this.#paused;
  }

  snapshot(): () => void {
    const [depth, paused] = [this.#depth, this.#paused];
    return () => {
      this.#depth = depth;
      this.#paused = paused;
    };
  }

  /**
   * Inserts a request under an id of its own, and returns that id.
   * @throws when no free id was found, which some draws are expected to find.
   */
  acceptNew(row: Omit<NewRequestRow, 'requestId'>, now: Date): string {
    for (let draw = 0; draw < maxIdDraws; draw += 1) {
      const requestId = this.#newId(now);
      if (this.accept({ ...row, requestId })) return requestId;
    }
    throw new Error('No free request id was found.');
  }

  /** @returns false when the request id is taken; nothing was written then. */
  accept(row: NewRequestRow): boolean {
    if (!this.rows.insert(row)) return false;
    this.#depth += 1;
    const internal = row.kind === 'mail_notifier_prompt';
    this.#journal.event(row.acceptedAtUtc, {
      kind: internal ? 'accepted_internal' : 'accepted',
      subjectId: row.requestId,
      data: { request_id: row.requestId, request_kind: row.kind, accepted_at_utc: row.acceptedAtUtc },
    });
    return true;
  }

  /** Pauses or resumes the queue; a repeated call changes nothing. */
  setPaused(atUtc: string, paused: boolean): void {
    if (this.#paused === paused) return;
    this.#control.writePaused(paused);
    this.#paused = paused;
    this.#journal.event(atUtc, {
      kind: paused ? 'queue_paused' : 'queue_resumed',
      subjectId: null,
      data: { queue_depth: this.#depth, at_utc: atUtc },
    });
  }

  /** @returns false when the row is no longer waiting. */
  start(atUtc: string, requestId: string, kind: RequestKind): boolean {
    if (!this.rows.start(requestId, atUtc)) return false;
    this.#journal.event(atUtc, {
      kind: 'request_started',
      subjectId: requestId,
      data: { request_id: requestId, request_kind: kind },
    });
    return true;
  }

  /** Ends a request. Coalesced rows get no event of their own: one event describes the whole plan. */
  finish(atUtc: string, outcome: RequestOutcome): boolean {
    const ended = this.rows.end({
      requestId: outcome.requestId,
      state: outcome.state,
      finishedAtUtc: atUtc,
      errorDetail: outcome.error?.detail ?? null,
      resultJson: outcome.result === null ? null : JSON.stringify(sorted(outcome.result)),
    });
    if (!ended) return false;
    this.#depth -= 1;
    if (outcome.error) this.rows.noteError(outcome.requestId, outcome.error.code);
    if (outcome.state !== 'coalesced') {
      this.#journal.event(atUtc, {
        kind: outcome.state,
        subjectId: outcome.requestId,
        data: {
          request_id: outcome.requestId,
          error_detail: outcome.error?.detail ?? null,
          result_json: outcome.result === null ? null : sorted(outcome.result),
        },
      });
    }
    return true;
  }
}

const sorted = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

type Row = Pick<RequestRow, 'request_id' | 'request_kind'>;

/**
 * Returns the companion that ends a request with its turn, or as soon as an agent that stays has the prompt
 * (docs/decisions.md#turns-of-a-terminal).
 */
export function companionOf(
  queue: RequestJournal,
  { request_id, request_kind }: Row,
): Required<Pick<TurnCompanion, 'delivered' | 'ended'>> {
  const complete = (atUtc: string): void =>
    void queue.finish(atUtc, {
      requestId: request_id,
      state: 'completed',
      error: null,
      result: { completed_at_utc: atUtc, request_kind },
    });
  return {
    delivered: complete,
    // A request that was completed by its delivery stays so.
    ended: (atUtc, { outcome, error }) =>
      outcome === 'completed'
        ? complete(atUtc)
        : void queue.finish(atUtc, { requestId: request_id, state: 'failed', error, result: null }),
  };
}

/**
 * Wakes everything that waits for a request once it has ended: with its delivery where the agent stays, otherwise with
 * its turn.
 */
export function wakeWhenDone(
  begun: BegunTurn,
  requestId: string,
  { queue, waiters, report }: { queue: RequestJournal; waiters: Waiters; report: (fault: string) => void },
): void {
  const wake = (): void => waiters.wake(requestId);
  const fault = (error: Error): void => report(`a turn hit an internal error: ${error.message}`);
  const wakeIfFinal = (): void => {
    const row = queue.rows.find(requestId);
    if (row && isFinal(row.state)) wake();
  };
  begun.delivered.then(wakeIfFinal).catch(fault);
  begun.over.then(wake).catch(fault);
}
