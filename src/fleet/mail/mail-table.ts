import type { Statement, Store, TableSchema } from '../../storage/store.js';
import type { Publication } from './letter.js';

/**
 * The messages of this host that the fleet has and their host has not confirmed, by when they were last published; and the mail folders
 * that agents of this host have had.
 */
export const mailSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS fleet_mail (
  message_id TEXT NOT NULL,
  host TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  stream_made_at TEXT NOT NULL,
  PRIMARY KEY (message_id, host)
);
CREATE TABLE IF NOT EXISTS fleet_mail_folders (path TEXT PRIMARY KEY);
`,
};

export class MailTable {
  readonly #get: Statement<[string, string], Publication>;
  readonly #put: Statement<[string, string, number, string]>;
  readonly #forget: Statement<[string, string]>;
  readonly #folders: Statement<[], { path: string }>;
  readonly #addFolder: Statement<[string]>;

  constructor(store: Store) {
    this.#get = store.prepare(
      'SELECT published_at AS at, stream_made_at AS streamMadeAt FROM fleet_mail WHERE message_id = ? AND host = ?',
    );
    this.#put = store.prepare(
      `INSERT INTO fleet_mail (message_id, host, published_at, stream_made_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (message_id, host) DO UPDATE SET published_at = excluded.published_at, stream_made_at = excluded.stream_made_at`,
    );
    this.#forget = store.prepare('DELETE FROM fleet_mail WHERE message_id = ? AND host = ?');
    this.#folders = store.prepare('SELECT path FROM fleet_mail_folders ORDER BY path');
    this.#addFolder = store.prepare('INSERT OR IGNORE INTO fleet_mail_folders (path) VALUES (?)');
  }

  /** Returns when a message was last published for a host; null for never. */
  publication(messageId: string, host: string): Publication | null {
    return this.#get.get(messageId, host) ?? null;
  }
  published(messageId: string, host: string, { at, streamMadeAt }: Publication): void {
    this.#put.run(messageId, host, at, streamMadeAt);
  }
  forget(messageId: string, host: string): void {
    this.#forget.run(messageId, host);
  }

  /** Returns the mail folders that agents of this host have or had. */
  folders(): string[] {
    return this.#folders.all().map(({ path }) => path);
  }
  addFolder(path: string): void {
    this.#addFolder.run(path);
  }
}
