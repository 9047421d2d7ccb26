import { bareEventStore, type EventStore } from '../../events/event-store.js';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { Unavailable, UnusableFile } from '../../foundation/faults.js';
import { NoSqlite } from '../../foundation/open-database.js';
import { IdempotencyKeys, idempotencySchema } from '../../storage/idempotency-keys.js';
import { DeliveryTable, deliverySchema } from './delivery-table.js';
import { NotificationTable, notificationSchema } from './notification-table.js';

export interface StoreParts {
  readonly path: string;
  readonly clock: Clock;
  report(fault: string): void;
}

/** The database of a server's notifications, watched as every database is. Its events are only the faults of the database. */
export class NotificationStore {
  readonly journal: Journal;
  readonly notifications: NotificationTable;
  readonly deliveries: DeliveryTable;
  readonly keys: IdempotencyKeys;
  /** Reports an error of a loop, unless the watch of the database has reported it. */
  readonly fault: (error: Error) => void;
  readonly #events: EventStore;

  private constructor({ path, clock, report }: StoreParts) {
    this.#events = bareEventStore({
      name: { path, thing: 'notifications', program: 'server' },
      schemas: [notificationSchema, deliverySchema, idempotencySchema],
      clock,
      print: report,
    });
    const { store, journal, watch } = this.#events;
    this.journal = journal;
    this.notifications = new NotificationTable(store);
    this.deliveries = new DeliveryTable(store);
    this.keys = new IdempotencyKeys(store, 'notification');
    this.fault = this.#events.printUnlessStorage;
    watch.start();
  }

  /** @throws {Unavailable} where it cannot be used; the report names path and remedy. */
  static open(parts: StoreParts): NotificationStore {
    try {
      return new NotificationStore(parts);
    } catch (error) {
      if (!(error instanceof UnusableFile) && !(error instanceof NoSqlite)) throw error;
      parts.report(`no notification is sent: ${error.message}`);
      throw new Unavailable('The notifications cannot be read; the log of the server says why.');
    }
  }

  /** Call it when nothing reads or writes any more. */
  async close(): Promise<void> {
    this.#events.watch.letGo();
    await this.#events.watch.stop();
    await this.#events.close();
  }
}
