import type { Store, TableSchema } from '../../storage/store.js';
import type { NotificationMessage } from './message.js';
import type { Attempt } from './notification.js';

export const deliverySchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS notification_deliveries (
  number INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL UNIQUE,
  notification TEXT NOT NULL,
  message_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  missed INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  last_attempt_json TEXT,
  next_at INTEGER
);
`,
  indexes: `
CREATE INDEX IF NOT EXISTS notification_deliveries_by_next ON notification_deliveries (notification, state, next_at);
`,
};

/** A message on its way to its target, or behind it. */
export interface MessageDelivery {
  readonly messageId: string;
  readonly message: NotificationMessage;
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly lastAttempt: Attempt | null;
  readonly nextAt: number | null;
}

interface Row {
  number: number;
  message_id: string;
  message_json: string;
  created_at: number;
  missed: number;
  state: MessageDelivery['state'];
  attempts: number;
  last_attempt_json: string | null;
  next_at: number | null;
}

function toDelivery(row: Row): MessageDelivery {
  const message = JSON.parse(row.message_json) as NotificationMessage;
  return {
    messageId: row.message_id,
    message: { ...message, data: { ...message.data, missed: row.missed } },
    createdAt: row.created_at,
    state: row.state,
    attempts: row.attempts,
    lastAttempt: row.last_attempt_json === null ? null : (JSON.parse(row.last_attempt_json) as Attempt),
    nextAt: row.next_at,
  };
}

const ofOne = 'FROM notification_deliveries WHERE notification = ?';
const pending = `${ofOne} AND state = 'pending'`;

/** The messages of all notifications. Write only inside a transaction. */
export class DeliveryTable {
  readonly #statements;

  constructor(store: Store) {
    this.#statements = {
      insert: store.prepare<[string, string, string, number, number]>(
        'INSERT INTO notification_deliveries (message_id, notification, message_json, created_at, next_at) VALUES (?, ?, ?, ?, ?)',
      ),
      get: store.prepare<[string, string], Row>(`SELECT * ${ofOne} AND message_id = ?`),
      latest: store.prepare<[string, number], Row>(`SELECT * ${ofOne} ORDER BY number DESC LIMIT ?`),
      next: store.prepare<[string], Row>(`SELECT * ${pending} ORDER BY next_at, number LIMIT 1`),
      pending: store.prepare<[string], { count: number }>(`SELECT count(*) AS count ${pending}`),
      oldest: store.prepare<[string, string], Row>(
        `SELECT * ${pending} AND message_id <> ? ORDER BY number LIMIT 1`,
      ),
      addMissed: store.prepare<[number, string, number]>(
        `UPDATE notification_deliveries SET missed = missed + ?
         WHERE number = (SELECT min(number) ${pending} AND number > ?)`,
      ),
      settle: store.prepare<[string, string, number | null, string]>(
        `UPDATE notification_deliveries SET state = ?, attempts = attempts + 1, last_attempt_json = ?, next_at = ?
         WHERE message_id = ? AND state = 'pending'`,
      ),
      repeat: store.prepare<[number, string]>(
        "UPDATE notification_deliveries SET state = 'pending', next_at = ? WHERE message_id = ?",
      ),
      giveUp: store.prepare<[string, string]>(
        `UPDATE notification_deliveries SET state = 'failed', last_attempt_json = ?, next_at = NULL
         WHERE notification = ? AND state = 'pending'`,
      ),
      forgetEnded: store.prepare<[string, string, number]>(
        `DELETE FROM notification_deliveries WHERE number IN (
           SELECT number ${ofOne} AND state IN ('delivered', 'failed')
           EXCEPT SELECT number FROM (
             SELECT number ${ofOne} AND state IN ('delivered', 'failed') ORDER BY number DESC LIMIT ?))`,
      ),
      forget: store.prepare<[string]>('DELETE FROM notification_deliveries WHERE message_id = ?'),
      forgetAll: store.prepare<[string]>(`DELETE ${ofOne}`),
    };
  }

  insert(notification: string, messageId: string, message: NotificationMessage, now: number): void {
    this.#statements.insert.run(messageId, notification, JSON.stringify(message), now, now);
  }
  get(notification: string, messageId: string): MessageDelivery | null {
    const row = this.#statements.get.get(notification, messageId);
    return row ? toDelivery(row) : null;
  }
  latest(notification: string, limit: number): MessageDelivery[] {
    return this.#statements.latest.all(notification, limit).map(toDelivery);
  }
  /** The message that is due first; null where none waits. */
  next(notification: string): MessageDelivery | null {
    const row = this.#statements.next.get(notification);
    return row ? toDelivery(row) : null;
  }
  pending(notification: string): number {
    return this.#statements.pending.get(notification)?.count ?? 0;
  }
  /**
   * Gives up the oldest message that waits; the next one says how many were given up before it.
   * @param underWay the message that is being sent now, which stays.
   */
  giveUpOldest(notification: string, underWay: string | null): void {
    const oldest = this.#statements.oldest.get(notification, underWay ?? '');
    if (!oldest) return;
    this.#statements.forget.run(oldest.message_id);
    this.#statements.addMissed.run(oldest.missed + 1, notification, oldest.number);
  }
  settle(messageId: string, state: MessageDelivery['state'], attempt: Attempt, nextAt: number | null): void {
    this.#statements.settle.run(state, JSON.stringify(attempt), nextAt, messageId);
  }
  repeat(messageId: string, now: number): void {
    this.#statements.repeat.run(now, messageId);
  }
  giveUpAll(notification: string, attempt: Attempt): void {
    this.#statements.giveUp.run(JSON.stringify(attempt), notification);
  }
  /** Forgets the messages that have ended, except the latest. */
  forgetEnded(notification: string, kept: number): void {
    this.#statements.forgetEnded.run(notification, notification, kept);
  }
  forgetAll(notification: string): void {
    this.#statements.forgetAll.run(notification);
  }
}
