import type { Clock } from '../foundation/clock.js';
import { isFull, type LogKeeping, usualLogKeeping } from '../foundation/set-aside.js';
import { isWholeDatabase, type StoreName, unlessStorage } from '../storage/storage-fault.js';
import { StorageWatch } from '../storage/storage-watch.js';
import type { Store, TableSchema } from '../storage/store.js';
import { WatchedDatabase } from '../storage/watched-database.js';
import { EventFeed, EventTable, eventSchema, type StoredEvent } from './event-table.js';
import { Journal } from './journal.js';
import { type LineOf, Projection, ProjectionTable, projectionSchema } from './projection.js';

/** The tables that every event store has. */
export const eventStoreSchemas: readonly TableSchema[] = [eventSchema, projectionSchema];

/** Called with events once they are on disk. It must not throw. */
export type EventFollower = (events: readonly StoredEvent[]) => void;

export interface EventStoreParts {
  name: StoreName;
  /** Tables beside {@link eventStoreSchemas}. */
  schemas: readonly TableSchema[];
  /** Files that follow the events. */
  files: readonly { name: string; path: string; lineOf: LineOf }[];
  keeping: LogKeeping;
  followers: readonly EventFollower[];
  /** Called after each commit. */
  committed: () => void;
  /** Called when a fault of the store began or ended. */
  faultChanged: () => void;
  clock: Clock;
  /** Prints a line that must be seen even when nothing can be stored. */
  print: (line: string) => void;
}

/** A store, the journal that changes it and everything that follows its events, opened, watched and closed together. */
export class EventStore {
  readonly store: Store;
  readonly watch: StorageWatch;
  readonly journal: Journal;
  readonly feed: EventFeed;
  readonly #database: WatchedDatabase;
  readonly #projections: Projections;
  readonly #print: (line: string) => void;

  /** @throws {UnusableFile} */
  constructor(parts: EventStoreParts) {
    const { clock, print } = parts;
    this.#print = print;
    const database = new WatchedDatabase(parts.name, [...eventStoreSchemas, ...parts.schemas], (fault) =>
      this.watch.met(fault),
    );
    this.#database = database;
    this.store = database;
    this.watch = new StorageWatch({
      database,
      probe: (sentence) => this.#noteFault(sentence),
      report: print,
      changed: () => {
        parts.faultChanged();
        if (!this.watch.fault) this.#projections.noteLater();
      },
      clock,
    });
    const events = new EventTable(database);
    this.feed = new EventFeed(events, clock);
    this.journal = new Journal({
      store: database,
      events,
      clock,
      guard: this.watch,
      committed: (fresh) => {
        this.#projections.follow(fresh);
        for (const follow of parts.followers) follow(fresh);
        if (fresh.length > 0) this.feed.arrived();
        parts.committed();
      },
    });
    const checkpoints = new ProjectionTable(database);
    this.#projections = new Projections(
      parts.files.map(({ name, path, lineOf }) => Projection.open(name, path, lineOf, events, checkpoints)),
      (work) => this.journal.write(work),
      print,
      parts.keeping,
      clock,
    );
  }

  /** Records a fault as an event, so that the logs show it; prints it if that fails. */
  report(detail: string): void {
    this.#noteFault(detail).catch(() => this.#print(detail));
  }

  /** Prints an error, unless it is one of the store itself: StorageWatch has reported that. */
  printUnlessStorage = (error: unknown): void => unlessStorage(error, ({ message }) => this.#print(message));

  /** Closes the store and leaves only its files. Call it when nothing reads or writes any more. */
  async close(): Promise<void> {
    await this.journal.finish();
    await this.#projections.close();
    // A full disk must not prevent shutdown.
    this.#attempt(() => this.watch.keepContent());
    // Closing removes the write-ahead log by name; when the database file was replaced, that log belongs to the other file.
    if (this.#database.look() !== 'replaced') this.#attempt(() => this.#database.close());
  }

  #noteFault(detail: string): Promise<void> {
    return this.journal.write((atUtc) =>
      this.journal.event(atUtc, { kind: 'fault', subjectId: null, data: { detail } }),
    );
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#print((error as Error).message);
    }
  }
}

/** Opens a store without files that follow it, for which nothing is done after a commit. */
export const bareEventStore = (
  parts: Pick<EventStoreParts, 'name' | 'schemas' | 'clock' | 'print'>,
): EventStore =>
  new EventStore({
    ...parts,
    files: [],
    keeping: usualLogKeeping,
    followers: [],
    committed: () => undefined,
    faultChanged: () => undefined,
  });

/** The delay after which the checkpoints of projections are written. */
const noteMilliseconds = 1000;

/**
 * The time after a write in which lines gather for the next one: a write for every commit is a seventh of what an accept
 * costs.
 */
const gatherMilliseconds = 5;

/**
 * The files that follow the events of one store. The store is the truth: a file that cannot be written is reported once,
 * and caught up as soon as its disk accepts writes again.
 */
export class Projections {
  readonly #files: readonly Projection[];
  readonly #write: (work: () => void) => Promise<unknown>;
  readonly #report: (line: string) => void;
  readonly #keeping: LogKeeping;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #behind = new Set<Projection>();
  /** The files that are full and could not be set aside. */
  readonly #stuck = new Set<Projection>();
  /** Events whose lines are not written yet. */
  #fresh: StoredEvent[] = [];
  #gathering: NodeJS.Timeout | null = null;
  #timer: NodeJS.Timeout | null = null;
  #noting: Promise<void> = Promise.resolve();

  /**
   * @param write runs work in a transaction.
   * @param report called with a line that must be seen even when nothing can be stored.
   */
  constructor(
    files: readonly Projection[],
    write: (work: () => void) => Promise<unknown>,
    report: (line: string) => void,
    keeping: LogKeeping,
    clock: Pick<Clock, 'now'>,
  ) {
    this.#files = files;
    this.#write = write;
    this.#report = report;
    this.#keeping = keeping;
    this.#clock = clock;
  }

  /** Appends the events of the last commit, at once or {@link gatherMilliseconds} after the last write. */
  follow(events: readonly StoredEvent[]): void {
    this.#fresh.push(...events);
    if (!this.#gathering) this.#writeFresh();
  }

  /** Writes the checkpoints soon, sets full files aside, and catches up files that lag behind. */
  noteLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#append();
      this.#noting = this.#note().then(() => {
        if (this.#behind.size + this.#stuck.size > 0) this.noteLater();
      });
    }, noteMilliseconds).unref();
  }

  /** Appends what is left, writes the checkpoints, and closes the files. */
  async close(): Promise<void> {
    await this.#noting;
    this.#stopTimers();
    this.#fresh = [];
    this.#each((file) => file.follow());
    await this.#note();
    this.#stopTimers();
    for (const file of this.#files) file.close();
  }

  #stopTimers(): void {
    for (const timer of [this.#timer, this.#gathering]) if (timer) clearTimeout(timer);
    this.#timer = null;
    this.#gathering = null;
  }

  #writeFresh(): void {
    if (this.#fresh.length === 0) return;
    this.#append();
    this.noteLater();
    this.#gathering = setTimeout(() => {
      this.#gathering = null;
      this.#writeFresh();
    }, gatherMilliseconds).unref();
  }

  #append(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    this.#each((file) => file.follow(fresh));
  }

  /** Writes the checkpoints one after the other: each sync occupies a thread of Node's pool for as long as the disk needs. */
  async #note(): Promise<void> {
    for (const file of this.#files) {
      try {
        await file.note(this.#write);
      } catch (error) {
        this.#failed(file, error as Error);
        continue;
      }
      await this.#setAsideIfFull(file);
    }
  }

  async #setAsideIfFull(file: Projection): Promise<void> {
    try {
      if (isFull(file.size(), this.#keeping, this.#clock.now()))
        await file.setAside(this.#keeping.files, this.#write);
      this.#stuck.delete(file);
    } catch (error) {
      if (!this.#stuck.has(file) && !isWholeDatabase(error))
        this.#report(
          `${file.path} is full and could not be set aside (${(error as Error).message}): lines are still added to it, and it is set aside as soon as the disk allows`,
        );
      this.#stuck.add(file);
    }
  }

  #each(work: (file: Projection) => void): void {
    for (const file of this.#files) {
      try {
        work(file);
        this.#behind.delete(file);
      } catch (error) {
        this.#failed(file, error as Error);
      }
    }
  }

  #failed(file: Projection, error: Error): void {
    // StorageWatch reports the faults of the store itself.
    if (!this.#behind.has(file) && !isWholeDatabase(error))
      this.#report(
        `${file.path} could not be written (${error.message}): it is written as soon as the disk allows`,
      );
    this.#behind.add(file);
  }
}
