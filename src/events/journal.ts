import { type Clock, oncePerSecond, toSecondStamp } from '../foundation/clock.js';
import { type CommitGuard, GroupCommit, type Mirror } from '../storage/group-commit.js';
import { StoreUnavailable } from '../storage/storage-fault.js';
import type { Store } from '../storage/store.js';
import type { NewEvent } from './catalogue.js';
import type { EventTable, StoredEvent } from './event-table.js';

/** The delay before a write that the store refused is tried again. */
const againMilliseconds = 1000;

export interface JournalParts {
  store: Store;
  events: EventTable;
  clock: Clock;
  guard: CommitGuard;
  /** Called when a group is on disk, with its events. */
  committed: (events: readonly StoredEvent[]) => void;
}

/**
 * Everything that changes a store goes through {@link Journal.write}: the changes, their events and the memory that
 * mirrors them belong to one transaction (docs/decisions.md#one-transaction).
 */
export class Journal {
  readonly #store: Store;
  readonly #events: EventTable;
  readonly #clock: Clock;
  readonly #commit: GroupCommit;
  readonly #mirrors: Mirror[] = [];
  #fresh: StoredEvent[] = [];
  #transaction = 0;
  readonly #stampOf = oncePerSecond(toSecondStamp);

  constructor({ store, events, clock, guard, committed }: JournalParts) {
    this.#store = store;
    this.#events = events;
    this.#clock = clock;
    this.#commit = new GroupCommit(
      store,
      { snapshot: () => this.#snapshot() },
      () => committed(this.#takeFresh()),
      clock,
      guard,
    );
  }

  /** Registers memory that is rolled back with every failed transaction. Each owner of such memory calls this once. */
  keep(mirror: Mirror): void {
    this.#mirrors.push(mirror);
  }

  /** Runs `work` in the next shared transaction and resolves once it is on disk. */
  write<T>(work: (atUtc: string) => T): Promise<T> {
    return this.#commit.run(() => work(this.#stampOf(this.#clock.now())));
  }

  /**
   * Reads a consistent state. Outside a transaction every statement acquires and releases the database's locks, which
   * costs more than the statement.
   */
  read<T>(work: () => T): T {
    return this.#store.readAtOnce(work);
  }

  /**
   * Like {@link Journal.write}, for something that has already happened: tries until it is on disk, however long the disk
   * stays full.
   * @param refused called with the first refusal.
   * @param enough ends the tries; recovery at the next start then settles what was not written.
   * @returns whether it is on disk.
   */
  async writeAtLast(
    work: (atUtc: string) => void,
    refused: (error: unknown) => void,
    enough: AbortSignal,
  ): Promise<boolean> {
    for (let reported = false; ; reported = true) {
      try {
        await this.write(work);
        return true;
      } catch (error) {
        if (!reported) refused(error);
        if (enough.aborted || (error instanceof StoreUnavailable && error.committed)) return false;
        await this.#clock.sleep(againMilliseconds, enough);
      }
    }
  }

  /** Commits pending work before the database is closed; resolves when no write is under way any more. */
  finish(): Promise<void> {
    return this.#commit.finish();
  }

  /** Appends an event; readers do not see it before it is on disk. Only inside {@link Journal.write}. */
  event(atUtc: string, event: NewEvent): void {
    const stored = this.#events.append(atUtc, event);
    if (this.#fresh.length === 0) this.#events.showUpTo(stored.seq - 1);
    this.#fresh.push(stored);
  }

  /** The number of the current transaction, for work that must happen only once per transaction. */
  get transaction(): number {
    return this.#transaction;
  }

  /** Begins a transaction. The returned function rolls back its mirrors and its events with it. */
  #snapshot(): () => void {
    this.#transaction += 1;
    const restores = this.#mirrors.map((mirror) => mirror.snapshot());
    const { length } = this.#fresh;
    return () => {
      for (const restore of restores) restore();
      this.#fresh.length = length;
    };
  }

  #takeFresh(): readonly StoredEvent[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    this.#events.showAll();
    return fresh;
  }
}
