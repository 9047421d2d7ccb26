import type { SharedDatabase } from '../root/shared-database.js';

type Flag = 0 | 1;

/** A row of `message_state`: the state of a message in one mailbox. A message without a row is not in the mailbox. */
export interface StateRow {
  message_id: string;
  thread_id: string;
  created_at_utc: string;
  subject: string;
  is_read: Flag;
  is_answered: Flag;
  is_starred: Flag;
  is_archived: Flag;
  is_deleted: Flag;
  box_name: string;
}

export interface StateFilter {
  box: string;
  read: boolean | null;
  answered: boolean | null;
  archived: boolean | null;
  /** `YYYY-MM-DDTHH:MM:SSZ`, inclusive. */
  since: string | null;
}

/** The part of the filtered rows to return. */
export interface RowExtent {
  /** -1 for all. */
  count: number;
  oldestFirst: boolean;
  /** The last row of the previous page; null for the first page. */
  after: StateRow | null;
}

/**
 * The last index is our addition: without it each list reads and sorts the whole mailbox. SQLite maintains it for every writer,
 * and no other program needs to know of it.
 */
export const stateTables = `
CREATE TABLE IF NOT EXISTS message_state (
  message_id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  created_at_utc TEXT NOT NULL,
  subject TEXT NOT NULL,
  is_read INTEGER NOT NULL DEFAULT 0,
  is_answered INTEGER NOT NULL DEFAULT 0,
  is_starred INTEGER NOT NULL DEFAULT 0,
  is_archived INTEGER NOT NULL DEFAULT 0,
  is_deleted INTEGER NOT NULL DEFAULT 0,
  box_name TEXT NOT NULL DEFAULT 'inbox'
);
CREATE INDEX IF NOT EXISTS idx_message_state_thread_id ON message_state (thread_id);
CREATE INDEX IF NOT EXISTS idx_houmao_message_state_newest ON message_state (box_name, created_at_utc, message_id);
`;

const flag = (value: boolean | null): Flag | null => (value === null ? null : value ? 1 : 0);

const found = (follows: '<' | '>', order: 'ASC' | 'DESC'): string => `
SELECT * FROM message_state
WHERE box_name = @box AND (@read IS NULL OR is_read = @read) AND (@answered IS NULL OR is_answered = @answered)
  AND (@archived IS NULL OR is_archived = @archived) AND (@since IS NULL OR created_at_utc >= @since)
  AND (@afterStamp IS NULL OR (created_at_utc, message_id) ${follows} (@afterStamp, @afterId))
ORDER BY created_at_utc ${order}, message_id ${order} LIMIT @count`;
const ascending = found('>', 'ASC');
const descending = found('<', 'DESC');

/** `message_state`, one statement per method. */
export class StateTable {
  readonly #database: SharedDatabase;

  constructor(database: SharedDatabase) {
    this.#database = database;
  }

  get(messageId: string): StateRow | undefined {
    return this.#database
      .prepare<[string], StateRow>('SELECT * FROM message_state WHERE message_id = ?')
      .get(messageId);
  }

  all(): StateRow[] {
    return this.#database.prepare<[], StateRow>('SELECT * FROM message_state').all();
  }

  isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM message_state LIMIT 1').get() === undefined;
  }

  find(filter: StateFilter, extent: RowExtent): StateRow[] {
    const { after, count, oldestFirst } = extent;
    const { box, since } = filter;
    return this.#database.prepare<[object], StateRow>(oldestFirst ? ascending : descending).all({
      box,
      since,
      count,
      read: flag(filter.read),
      answered: flag(filter.answered),
      archived: flag(filter.archived),
      afterStamp: after?.created_at_utc ?? null,
      afterId: after?.message_id ?? null,
    });
  }

  put(row: StateRow): void {
    this.#database
      .prepare<[StateRow]>(`
INSERT OR REPLACE INTO message_state VALUES (
  @message_id, @thread_id, @created_at_utc, @subject, @is_read, @is_answered, @is_starred, @is_archived, @is_deleted,
  @box_name)`)
      .run(row);
  }

  delete(messageId: string): void {
    this.#database.prepare<[string]>('DELETE FROM message_state WHERE message_id = ?').run(messageId);
  }

  deleteAll(): void {
    this.#database.prepare('DELETE FROM message_state').run();
  }
}
