import type { Journal } from '../../events/journal.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';
import type { Reminder, ReminderDelivery } from './reminder.js';
import type { ReminderSet } from './reminder-set.js';

// Moments are milliseconds since 1970. `turn_id` is the turn that delivers the reminder.
export const reminderSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS kept_reminders (
  reminder_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  prompt TEXT,
  key_sequence TEXT,
  ensure_enter INTEGER NOT NULL CHECK (ensure_enter IN (0, 1)),
  ranking INTEGER NOT NULL,
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  created_at INTEGER NOT NULL,
  anchor INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  interval_seconds REAL,
  last_started_at INTEGER,
  executing INTEGER NOT NULL CHECK (executing IN (0, 1)),
  turn_id TEXT,
  delete_requested INTEGER NOT NULL CHECK (delete_requested IN (0, 1)),
  CHECK ((prompt IS NULL) <> (key_sequence IS NULL))
) WITHOUT ROWID;
`,
};

interface ReminderRow {
  reminder_id: string;
  title: string;
  prompt: string | null;
  key_sequence: string | null;
  ensure_enter: number;
  ranking: number;
  paused: number;
  created_at: number;
  anchor: number;
  due_at: number;
  interval_seconds: number | null;
  last_started_at: number | null;
  executing: number;
  turn_id: string | null;
  delete_requested: number;
}

/** The table `kept_reminders`: the live reminders that outlive their gateway. */
export class ReminderTable {
  readonly #all: Statement<[], ReminderRow>;
  readonly #put: Statement<[ReminderRow]>;
  readonly #delete: Statement<[string]>;

  constructor(store: Store) {
    this.#all = store.prepare('SELECT * FROM kept_reminders');
    this.#put = store.prepare(`INSERT OR REPLACE INTO kept_reminders VALUES (
      @reminder_id, @title, @prompt, @key_sequence, @ensure_enter, @ranking, @paused, @created_at, @anchor, @due_at,
      @interval_seconds, @last_started_at, @executing, @turn_id, @delete_requested)`);
    this.#delete = store.prepare('DELETE FROM kept_reminders WHERE reminder_id = ?');
  }

  all(): Reminder[] {
    return this.#all.all().map(reminderOf);
  }
  put(reminder: Reminder): void {
    this.#put.run(rowOf(reminder));
  }
  delete(id: string): void {
    this.#delete.run(id);
  }
}

const rowOf = (one: Reminder): ReminderRow => ({
  reminder_id: one.id,
  title: one.title,
  prompt: one.delivery.kind === 'prompt' ? one.delivery.prompt : null,
  key_sequence: one.delivery.kind === 'send_keys' ? one.delivery.sequence : null,
  ensure_enter: one.delivery.kind === 'send_keys' && one.delivery.ensureEnter ? 1 : 0,
  ranking: one.ranking,
  paused: one.paused ? 1 : 0,
  created_at: one.createdAt,
  anchor: one.anchor,
  due_at: one.dueAt,
  interval_seconds: one.intervalSeconds,
  last_started_at: one.lastStartedAt,
  executing: one.executing ? 1 : 0,
  turn_id: one.turnId,
  delete_requested: one.deleteRequested ? 1 : 0,
});

const reminderOf = (row: ReminderRow): Reminder => ({
  id: row.reminder_id,
  kept: true,
  mode: row.interval_seconds === null ? 'one_off' : 'repeat',
  title: row.title,
  delivery: deliveryOf(row),
  ranking: row.ranking,
  paused: row.paused === 1,
  createdAt: row.created_at,
  anchor: row.anchor,
  dueAt: row.due_at,
  intervalSeconds: row.interval_seconds,
  lastStartedAt: row.last_started_at,
  executing: row.executing === 1,
  turnId: row.turn_id,
  deleteRequested: row.delete_requested === 1,
});

const deliveryOf = ({ prompt, key_sequence, ensure_enter }: ReminderRow): ReminderDelivery =>
  key_sequence === null
    ? { kind: 'prompt', prompt: prompt ?? '' }
    : { kind: 'send_keys', sequence: key_sequence, ensureEnter: ensure_enter === 1 };

/**
 * All live reminders. Kept reminders are also in the table, written in the transaction of each change, and the next book
 * begins with them; the others are lost when the process ends. A failed transaction restores the set before it.
 */
export class ReminderBook implements Mirror {
  readonly #table: ReminderTable;
  #set: ReminderSet;

  /** @throws {Error} when the table cannot be read. */
  constructor(journal: Pick<Journal, 'keep'>, table: ReminderTable) {
    this.#table = table;
    this.#set = table.all();
    journal.keep(this);
  }

  get set(): ReminderSet {
    return this.#set;
  }

  /** Only inside `Journal.write`. */
  replace(set: ReminderSet): void {
    const before = new Set(this.#set);
    const kept = new Set(set.flatMap(({ id, kept }) => (kept ? [id] : [])));
    for (const { id, kept: was } of before) if (was && !kept.has(id)) this.#table.delete(id);
    for (const one of set) if (one.kept && !before.has(one)) this.#table.put(one);
    this.#set = set;
  }

  snapshot(): () => void {
    const set = this.#set;
    return () => {
      this.#set = set;
    };
  }
}
