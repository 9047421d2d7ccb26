import { join } from 'node:path';
import { SharedDatabase } from '../root/shared-database.js';
import { MessageTable, messageTables } from './message-table.js';
import { MailLinkTable, projectionTables } from './projection-table.js';
import { RegistrationTable, registrationTables } from './registration-table.js';
import { StateTable, stateTables } from './state-table.js';

/** `index.sqlite` of a root: the mailboxes, the messages and their recipients. */
export class MailIndex {
  readonly database: SharedDatabase;
  readonly registrations: RegistrationTable;
  readonly messages: MessageTable;
  readonly projections: MailLinkTable;
  readonly threads: ThreadTable;

  constructor(path: string) {
    this.database = new SharedDatabase(
      path,
      registrationTables + messageTables + projectionTables + threadTable,
    );
    this.registrations = new RegistrationTable(this.database);
    this.messages = new MessageTable(this.database);
    this.projections = new MailLinkTable(this.database);
    this.threads = new ThreadTable(this.database, 'messages');
  }
}

/** `mailbox.sqlite` of a mailbox: the messages that its owner has read, answered and moved. */
export class MailboxDatabase {
  readonly database: SharedDatabase;
  readonly states: StateTable;
  readonly threads: ThreadTable;

  constructor(mailboxPath: string) {
    this.database = new SharedDatabase(join(mailboxPath, 'mailbox.sqlite'), stateTables + threadTable);
    this.states = new StateTable(this.database);
    this.threads = new ThreadTable(this.database, 'message_state');
  }
}

/** The newest message of a thread. */
interface Latest {
  message_id: string;
  created_at_utc: string;
  subject: string;
}

const threadTable = `
CREATE TABLE IF NOT EXISTS thread_summaries (
  thread_id TEXT PRIMARY KEY,
  normalized_subject TEXT NOT NULL,
  latest_message_id TEXT,
  latest_message_created_at_utc TEXT,
  unread_count INTEGER NOT NULL DEFAULT 0
);
`;

/** `thread_summaries` of a database, computed from the table that has its messages. One statement per method. */
class ThreadTable {
  readonly #database: SharedDatabase;
  readonly #messages: 'messages' | 'message_state';

  constructor(database: SharedDatabase, messages: 'messages' | 'message_state') {
    this.#database = database;
    this.#messages = messages;
  }

  /** Makes the summary of a thread again; a thread without messages has none. */
  refresh(threadId: string): void {
    const latest = this.#latest(threadId);
    if (latest) this.#put(threadId, latest, this.#messages === 'messages' ? 0 : this.#unread(threadId));
    else this.#delete(threadId);
  }

  refreshAll(): void {
    this.#deleteAll();
    for (const threadId of this.#threads()) this.refresh(threadId);
  }

  #latest(threadId: string): Latest | undefined {
    return this.#database
      .prepare<[string], Latest>(
        `SELECT message_id, created_at_utc, subject FROM ${this.#messages} WHERE thread_id = ?
ORDER BY created_at_utc DESC, message_id DESC LIMIT 1`,
      )
      .get(threadId);
  }

  /** Counts unread messages, also archived and deleted ones. Only a mailbox's own database knows what was read. */
  #unread(threadId: string): number {
    return (
      this.#database
        .prepare<[string], { unread: number }>(
          'SELECT COUNT(*) AS unread FROM message_state WHERE thread_id = ? AND is_read = 0',
        )
        .get(threadId)?.unread ?? 0
    );
  }

  #threads(): string[] {
    return this.#database
      .prepare<[], { thread_id: string }>(`SELECT DISTINCT thread_id FROM ${this.#messages}`)
      .all()
      .map((row) => row.thread_id);
  }

  #put(threadId: string, { message_id, created_at_utc, subject }: Latest, unread: number): void {
    this.#database
      .prepare<[string, string, string, string, number]>(
        'INSERT OR REPLACE INTO thread_summaries VALUES (?, ?, ?, ?, ?)',
      )
      .run(threadId, subject.trim().toLowerCase(), message_id, created_at_utc, unread);
  }

  #delete(threadId: string): void {
    this.#database.prepare<[string]>('DELETE FROM thread_summaries WHERE thread_id = ?').run(threadId);
  }

  #deleteAll(): void {
    this.#database.prepare('DELETE FROM thread_summaries').run();
  }
}
