import { randomUUID } from 'node:crypto';
import { bareEventStore, type EventStore } from '../events/event-store.js';
import type { Journal } from '../events/journal.js';
import { type Clock, toSecondStamp } from '../foundation/clock.js';
import type { Statement, Store, TableSchema } from '../storage/store.js';
import { CommandTable, commandSchema } from './commands/command-table.js';
import { OutboxTable, outboxSchema } from './events/outbox-table.js';
import { MailTable, mailSchema } from './mail/mail-table.js';

const selfSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS fleet_self (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  host_id TEXT NOT NULL,
  joined_at_utc TEXT NOT NULL
);
`,
};

/** The identity of this host in its fleet. */
export interface FleetSelf {
  readonly hostId: string;
  readonly joinedAtUtc: string;
}

class SelfTable {
  readonly #get: Statement<[], { host_id: string; joined_at_utc: string }>;
  readonly #put: Statement<[string, string]>;

  constructor(store: Store) {
    this.#get = store.prepare('SELECT host_id, joined_at_utc FROM fleet_self');
    this.#put = store.prepare('INSERT INTO fleet_self (singleton, host_id, joined_at_utc) VALUES (1, ?, ?)');
  }

  read(): FleetSelf | null {
    const row = this.#get.get();
    return row ? { hostId: row.host_id, joinedAtUtc: row.joined_at_utc } : null;
  }

  begin(self: FleetSelf): void {
    this.#put.run(self.hostId, self.joinedAtUtc);
  }
}

/**
 * The database of a host about its fleet: who it is, the commands it has received, the events it has to
 * publish, and the mail that other hosts have not confirmed.
 */
export class FleetStore {
  readonly journal: Journal;
  readonly commands: CommandTable;
  readonly outbox: OutboxTable;
  readonly mail: MailTable;
  readonly #self: SelfTable;
  readonly #events: EventStore;

  /** @throws {UnusableFile} */
  constructor({ path, clock, report }: { path: string; clock: Clock; report(fault: string): void }) {
    this.#events = bareEventStore({
      name: { path, thing: 'fleet', program: 'server' },
      schemas: [selfSchema, commandSchema, outboxSchema, mailSchema],
      clock,
      print: report,
    });
    const { store, journal, watch } = this.#events;
    this.journal = journal;
    this.commands = new CommandTable(store);
    this.outbox = new OutboxTable(store);
    this.mail = new MailTable(store);
    this.#self = new SelfTable(store);
    watch.start();
  }

  /** Returns who this host is; the first call makes its id, which stays. */
  async self(now: Date): Promise<FleetSelf> {
    return this.journal.write(() => {
      const known = this.#self.read();
      if (known !== null) return known;
      const self = { hostId: randomUUID(), joinedAtUtc: toSecondStamp(now) };
      this.#self.begin(self);
      return self;
    });
  }

  /** Call it when nothing reads or writes any more. */
  async close(): Promise<void> {
    this.#events.watch.letGo();
    await this.#events.watch.stop();
    await this.#events.close();
  }
}
