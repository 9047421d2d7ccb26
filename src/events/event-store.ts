import type { Clock } from '../foundation/clock.js';
import type { LogKeeping } from '../foundation/set-aside.js';
import { type StoreName, unlessStorage } from '../storage/storage-fault.js';
import { StorageWatch } from '../storage/storage-watch.js';
import type { Store, TableSchema } from '../storage/store.js';
import { WatchedDatabase } from '../storage/watched-database.js';
import { EventFeed, EventTable, eventSchema, type StoredEvent } from './event-table.js';
import { Journal } from './journal.js';
import { type LineOf, Projection, ProjectionTable, projectionSchema } from './projection.js';
import { Projections } from './projections.js';

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
