import type { Statement, Store, TableSchema } from '../storage/store.js';

/** One turn runs at a time, so one row is enough. */
const interruptTables = `
CREATE TABLE IF NOT EXISTS turn_interrupt (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  turn_id TEXT NOT NULL,
  requested_at_utc TEXT NOT NULL
);
`;

/**
 * The table `turn_interrupt`: when an interrupt of the running turn was requested, kept also when another owner follows
 * the turn.
 */
export class InterruptTable {
  readonly #note: Statement<[string, string]>;

  constructor(store: Store) {
    this.#note = store.prepare(
      'INSERT OR REPLACE INTO turn_interrupt (singleton, turn_id, requested_at_utc) VALUES (1, ?, ?)',
    );
  }

  note(turnId: string, requestedAtUtc: string): void {
    this.#note.run(turnId, requestedAtUtc);
  }
}

/** The statement that reads one: also for readers of a session that another program owns. */
export const interruptSql = {
  requestedAt: 'SELECT requested_at_utc FROM turn_interrupt WHERE turn_id = ?',
} as const;

/** One turn runs at a time, so one row is enough. */
const goingOnTables = `
CREATE TABLE IF NOT EXISTS turn_going_on (
  singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
  turn_id TEXT NOT NULL
);
`;

/** The table `turn_going_on`: the turn that goes on without its owner, so that the next one adopts it and does not end it. */
export class GoingOnTable {
  readonly #note: Statement<[string]>;
  readonly #find: Statement<[], { turn_id: string }>;

  constructor(store: Store) {
    this.#note = store.prepare('INSERT OR REPLACE INTO turn_going_on (singleton, turn_id) VALUES (1, ?)');
    this.#find = store.prepare('SELECT turn_id FROM turn_going_on');
  }

  note(turnId: string): void {
    this.#note.run(turnId);
  }
  /** A turn that has ended stays noted until another turn is noted. */
  has(turnId: string): boolean {
    return this.#find.get()?.turn_id === turnId;
  }
}

/** The tables of turn-table.ts, and the tables above. */
export const turnSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS turns (
  turn_id TEXT PRIMARY KEY,
  origin TEXT NOT NULL CHECK (origin IN ('queue', 'direct', 'reminder', 'notifier')),
  request_id TEXT,
  tool TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'ended')),
  started_at_utc TEXT NOT NULL,
  ended_at_utc TEXT,
  delivery_state TEXT NOT NULL
    CHECK (delivery_state IN ('claimed', 'handed_over', 'confirmed', 'unconfirmed', 'failed')),
  delivery_at_utc TEXT NOT NULL,
  delivery_evidence TEXT,
  outcome TEXT CHECK (outcome IN ('completed', 'failed', 'interrupted', 'replaced')),
  provider_session_id TEXT,
  model TEXT,
  exit_code INTEGER,
  signal TEXT,
  error_code TEXT,
  error_detail TEXT,
  answer_text TEXT,
  answer_truncated INTEGER NOT NULL DEFAULT 0,
  processes_json TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE IF NOT EXISTS turn_plans (
  turn_id TEXT PRIMARY KEY,
  session_json TEXT NOT NULL,
  time_limit_seconds REAL,
  stop_reason TEXT
);
CREATE TABLE IF NOT EXISTS pasted_prompts (
  turn_id TEXT PRIMARY KEY,
  pane_id TEXT NOT NULL,
  text TEXT NOT NULL,
  heard_until_json TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS turn_usage (
  turn_id TEXT PRIMARY KEY,
  usage_json TEXT NOT NULL
);
${goingOnTables}${interruptTables}`,
  indexes: `
CREATE INDEX IF NOT EXISTS turns_by_request ON turns (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS turns_by_outcome ON turns (outcome) WHERE outcome IS NOT NULL AND request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS turns_running ON turns (state) WHERE state = 'running';
`,
};
