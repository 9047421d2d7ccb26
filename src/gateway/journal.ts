import type { EventTable, NewEvent, StoredEvent } from '../events/event-table.js';
import type { Clock } from '../foundation/clock.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import { TurnTable } from '../turn/turn-table.js';
import type { Database } from './database.js';
import { type CommitDoor, GroupCommit } from './group-commit.js';
import type { GatewayMemory } from './memory.js';
import { IdempotencyTable } from './requests/idempotency-table.js';
import { QueueControlTable } from './requests/queue-control-table.js';
import { type NewRequestRow, RequestTable } from './requests/request-table.js';
import { EpochTable } from './status/epoch-table.js';
import { QueueUnavailable } from './storage/storage-fault.js';

/** How a request ends; with `code` when it ends badly. */
export interface RequestOutcome {
  requestId: string;
  state: 'completed' | 'failed' | 'coalesced' | 'cancelled';
  error: { code: string; detail: string } | null;
  result: Record<string, unknown> | null;
}

/** A queue that refuses to note what has happened is tried again this often. */
const againMilliseconds = 1000;

/**
 * Everything that changes `queue.sqlite` goes through {@link Journal.write}: the changes, their events and the mirrored
 * numbers belong to one transaction. The methods below are only called inside it.
 */
export class Journal {
  readonly requests: RequestTable;
  readonly idempotency: IdempotencyTable;
  readonly turns: TurnTable;
  readonly epochs: EpochTable;
  readonly queueControl: QueueControlTable;
  readonly memory: GatewayMemory;
  readonly #database: Database;
  readonly #events: EventTable;
  readonly #commit: GroupCommit;
  readonly #clock: Clock;
  #fresh: StoredEvent[] = [];
  #transaction = 0;

  /** @param committed called after each commit, with its events. */
  constructor(
    database: Database,
    events: EventTable,
    memory: GatewayMemory,
    clock: Clock,
    committed: (events: readonly StoredEvent[]) => void,
    door: CommitDoor,
  ) {
    this.#database = database;
    this.requests = new RequestTable(database);
    this.idempotency = new IdempotencyTable(database);
    this.turns = new TurnTable(database);
    this.epochs = new EpochTable(database);
    this.queueControl = new QueueControlTable(database);
    this.memory = memory;
    this.#events = events;
    this.#clock = clock;
    this.#commit = new GroupCommit(
      database,
      { snapshot: () => this.#snapshot() },
      () => committed(this.#takeFresh()),
      clock,
      door,
    );
  }

  /** Runs `work` in the next shared transaction and resolves once it is on disk. */
  write<T>(work: (atUtc: string) => T): Promise<T> {
    return this.#commit.run(() => work(toSecondStamp(this.#clock.now())));
  }

  /** Reads at one moment. Outside a transaction every statement takes and drops the database's locks, which costs more than it. */
  read<T>(work: () => T): T {
    return this.#database.transaction(work).deferred();
  }

  /**
   * Like {@link Journal.write}, for what has happened already: tried until it is on disk, however long a full disk takes.
   * @param refused told of the first refusal.
   * @param enough ends the tries: the next start finds that it was not noted.
   * @returns whether it is on disk.
   */
  async writeAtLast(
    work: (atUtc: string) => void,
    refused: (error: unknown) => void,
    enough: AbortSignal,
  ): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.write(work);
        return true;
      } catch (error) {
        if (tries === 1) refused(error);
        if (enough.aborted || (error instanceof QueueUnavailable && error.committed)) return false;
        await this.#clock.sleep(againMilliseconds, enough);
      }
    }
  }

  /** Commits what waits, before the database is closed. */
  flush(): void {
    this.#commit.flush(true);
  }

  event(atUtc: string, event: NewEvent): void {
    this.#fresh.push(this.#events.append(atUtc, event));
  }

  /** The number of the transaction under way, for work that belongs into each only once. */
  get transaction(): number {
    return this.#transaction;
  }

  /** A transaction that goes back takes its numbers and its events with it. */
  #snapshot(): () => void {
    this.#transaction += 1;
    const restore = this.memory.snapshot();
    const { length } = this.#fresh;
    return () => {
      restore();
      this.#fresh.length = length;
    };
  }

  #takeFresh(): readonly StoredEvent[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  /** @returns false when the request id is taken; nothing was written then. */
  accept(row: NewRequestRow): boolean {
    if (!this.requests.insert(row)) return false;
    this.memory.depth += 1;
    const internal = row.kind === 'mail_notifier_prompt';
    this.event(row.acceptedAtUtc, {
      kind: internal ? 'accepted_internal' : 'accepted',
      subjectId: row.requestId,
      data: { request_id: row.requestId, request_kind: row.kind, accepted_at_utc: row.acceptedAtUtc },
    });
    return true;
  }

  /** Holds the queue back, or lets it go on. Doing it twice is the same as once. */
  setPaused(atUtc: string, paused: boolean): void {
    if (this.memory.paused === paused) return;
    this.queueControl.writePaused(paused);
    this.memory.paused = paused;
    this.event(atUtc, {
      kind: paused ? 'queue_paused' : 'queue_resumed',
      subjectId: null,
      data: { queue_depth: this.memory.depth, at_utc: atUtc },
    });
  }

  /** @returns false when the row no longer waits. */
  start(atUtc: string, requestId: string, kind: string): boolean {
    if (!this.requests.start(requestId, atUtc)) return false;
    this.event(atUtc, {
      kind: 'request_started',
      subjectId: requestId,
      data: { request_id: requestId, request_kind: kind },
    });
    return true;
  }

  /** Ends a request. Coalesced rows get no event of their own: one event tells of the whole plan. */
  finish(atUtc: string, outcome: RequestOutcome): boolean {
    const ended = this.requests.end({
      requestId: outcome.requestId,
      state: outcome.state,
      finishedAtUtc: atUtc,
      errorDetail: outcome.error?.detail ?? null,
      resultJson: outcome.result === null ? null : JSON.stringify(sorted(outcome.result)),
    });
    if (!ended) return false;
    this.memory.depth -= 1;
    if (outcome.error) this.requests.noteError(outcome.requestId, outcome.error.code);
    if (outcome.state !== 'coalesced') {
      this.event(atUtc, {
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
