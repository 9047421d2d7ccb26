import type { Statement, Store, TableSchema } from '../../storage/store.js';
import type { Attempt, NotificationDefinition, StoredNotification } from './notification.js';

export const notificationSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS notifications (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  definition_json TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  secret TEXT,
  previous_secret TEXT,
  previous_until INTEGER,
  created_at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  disabled_reason TEXT,
  failing_since INTEGER,
  last_delivered_at INTEGER,
  last_failure_json TEXT,
  missed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS notification_place (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  place TEXT NOT NULL
);
`,
};

interface Row {
  id: string;
  definition_json: string;
  enabled: 0 | 1;
  secret: string | null;
  previous_secret: string | null;
  previous_until: number | null;
  created_at: number;
  since: number;
  disabled_reason: string | null;
  failing_since: number | null;
  last_delivered_at: number | null;
  last_failure_json: string | null;
  missed: number;
}

const toNotification = (row: Row): StoredNotification => ({
  ...(JSON.parse(row.definition_json) as Omit<NotificationDefinition, 'enabled'>),
  id: row.id,
  enabled: row.enabled === 1,
  secret: row.secret,
  previous:
    row.previous_secret === null ? null : { secret: row.previous_secret, until: row.previous_until ?? 0 },
  createdAt: row.created_at,
  since: row.since,
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  lastDeliveredAt: row.last_delivered_at,
  lastFailure: row.last_failure_json === null ? null : (JSON.parse(row.last_failure_json) as Attempt),
  missed: row.missed,
});

const definitionJson = ({ target, description, events, agents }: NotificationDefinition): string =>
  JSON.stringify({ target, description, events, agents });

const all = 'SELECT * FROM notifications';

/** The notifications, and the place in the events of all agents up to which messages were made. Write only inside a transaction. */
export class NotificationTable {
  readonly #statements;
  readonly #place: Statement<[], { place: string }>;
  readonly #putPlace: Statement<[string]>;
  readonly #clearPlace: Statement;

  constructor(store: Store) {
    this.#statements = {
      all: store.prepare<[], Row>(`${all} ORDER BY number`),
      enabled: store.prepare<[], Row>(`${all} WHERE enabled = 1 ORDER BY number`),
      get: store.prepare<[string], Row>(`${all} WHERE id = ?`),
      insert: store.prepare<[string, string, number, string | null, number, number]>(
        'INSERT INTO notifications (id, definition_json, enabled, secret, created_at, since) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      define: store.prepare<[string, number, number, string]>(
        'UPDATE notifications SET definition_json = ?, enabled = ?, since = ?, disabled_reason = NULL, failing_since = NULL WHERE id = ?',
      ),
      rotate: store.prepare<[number, string, string]>(
        'UPDATE notifications SET previous_secret = secret, previous_until = ?, secret = ? WHERE id = ?',
      ),
      delivered: store.prepare<[number, string]>(
        'UPDATE notifications SET last_delivered_at = ?, failing_since = NULL WHERE id = ?',
      ),
      failed: store.prepare<[string, number | null, string]>(
        'UPDATE notifications SET last_failure_json = ?, failing_since = ? WHERE id = ?',
      ),
      disable: store.prepare<[string, string]>(
        'UPDATE notifications SET enabled = 0, disabled_reason = ? WHERE id = ?',
      ),
      missed: store.prepare<[string]>('UPDATE notifications SET missed = missed + 1 WHERE id = ?'),
      remove: store.prepare<[string]>('DELETE FROM notifications WHERE id = ?'),
    };
    this.#place = store.prepare('SELECT place FROM notification_place WHERE singleton = 1');
    this.#putPlace = store.prepare(
      'INSERT INTO notification_place (singleton, place) VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET place = excluded.place',
    );
    this.#clearPlace = store.prepare('DELETE FROM notification_place');
  }

  list(): StoredNotification[] {
    return this.#statements.all.all().map(toNotification);
  }
  enabled(): StoredNotification[] {
    return this.#statements.enabled.all().map(toNotification);
  }
  get(id: string): StoredNotification | null {
    const row = this.#statements.get.get(id);
    return row ? toNotification(row) : null;
  }
  insert(id: string, definition: NotificationDefinition, secret: string | null, now: number): void {
    const { insert } = this.#statements;
    insert.run(id, definitionJson(definition), Number(definition.enabled), secret, now, now);
  }
  /** Replaces the definition. @param since from when on events count. */
  define(id: string, definition: NotificationDefinition, since: number): void {
    this.#statements.define.run(definitionJson(definition), Number(definition.enabled), since, id);
  }
  rotate(id: string, secret: string, previousUntil: number): void {
    this.#statements.rotate.run(previousUntil, secret, id);
  }
  noteDelivered(id: string, at: number): void {
    this.#statements.delivered.run(at, id);
  }
  noteFailed(id: string, attempt: Attempt, failingSince: number | null): void {
    this.#statements.failed.run(JSON.stringify(attempt), failingSince, id);
  }
  disable(id: string, reason: string): void {
    this.#statements.disable.run(reason, id);
  }
  noteMissed(id: string): void {
    this.#statements.missed.run(id);
  }
  remove(id: string): void {
    this.#statements.remove.run(id);
  }

  /** The place up to which messages were made; null while no notification is enabled. */
  get place(): string | null {
    return this.#place.get()?.place ?? null;
  }
  putPlace(place: string): void {
    this.#putPlace.run(place);
  }
  /** Forgets the place where no notification is enabled any more: the next one begins with what happens then. */
  clearUnusedPlace(): void {
    if (this.#statements.enabled.get() === undefined) this.#clearPlace.run();
  }
}
