import type { SharedDatabase } from '../root/shared-database.js';

/** A row of `mailbox_projections`: a link to a message in a box of a mailbox. */
export interface ProjectionRow {
  registration_id: string;
  message_id: string;
  folder_name: string;
  projection_path: string;
}

/** A link with the message that it leads to. */
export interface ProjectedRow extends ProjectionRow {
  thread_id: string;
  created_at_utc: string;
  subject: string;
  sender_address: string;
  sender_principal_id: string;
  canonical_path: string;
}

export const projectionTables = `
CREATE TABLE IF NOT EXISTS mailbox_projections (
  registration_id TEXT NOT NULL REFERENCES mailbox_registrations (registration_id) ON DELETE CASCADE,
  message_id TEXT NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
  folder_name TEXT NOT NULL,
  projection_path TEXT NOT NULL,
  PRIMARY KEY (registration_id, message_id, folder_name)
);
CREATE TABLE IF NOT EXISTS mailbox_state (
  registration_id TEXT NOT NULL REFERENCES mailbox_registrations (registration_id) ON DELETE CASCADE,
  message_id TEXT NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
  is_read INTEGER NOT NULL DEFAULT 0,
  is_answered INTEGER NOT NULL DEFAULT 0,
  is_starred INTEGER NOT NULL DEFAULT 0,
  is_archived INTEGER NOT NULL DEFAULT 0,
  is_deleted INTEGER NOT NULL DEFAULT 0,
  box_name TEXT NOT NULL DEFAULT 'inbox',
  PRIMARY KEY (registration_id, message_id)
);
CREATE INDEX IF NOT EXISTS idx_state_registration_id ON mailbox_state (registration_id);
`;

/** `mailbox_projections`, one statement per method. */
export class MailLinkTable {
  readonly #database: SharedDatabase;

  constructor(database: SharedDatabase) {
    this.#database = database;
  }

  of(registrationId: string, messageId: string): ProjectionRow[] {
    return this.#database
      .prepare<[string, string], ProjectionRow>(
        'SELECT * FROM mailbox_projections WHERE registration_id = ? AND message_id = ? ORDER BY folder_name',
      )
      .all(registrationId, messageId);
  }

  ofMessage(messageId: string): ProjectionRow[] {
    return this.#database
      .prepare<[string], ProjectionRow>(
        'SELECT * FROM mailbox_projections WHERE message_id = ? ORDER BY registration_id, folder_name',
      )
      .all(messageId);
  }

  ofRegistration(registrationId: string): ProjectionRow[] {
    return this.#database
      .prepare<[string], ProjectionRow>(
        'SELECT * FROM mailbox_projections WHERE registration_id = ? ORDER BY message_id, folder_name',
      )
      .all(registrationId);
  }

  /** Returns the messages that other registrations have. */
  idsBeside(registrationId: string): string[] {
    return this.#database
      .prepare<[string], { message_id: string }>(
        'SELECT DISTINCT message_id FROM mailbox_projections WHERE registration_id <> ?',
      )
      .all(registrationId)
      .map((row) => row.message_id);
  }

  all(): ProjectionRow[] {
    return this.#database
      .prepare<[], ProjectionRow>(
        'SELECT * FROM mailbox_projections ORDER BY registration_id, message_id, folder_name',
      )
      .all();
  }

  /** Returns the newest first. */
  withMessages(registrationId: string): ProjectedRow[] {
    return this.#database
      .prepare<[string], ProjectedRow>(`
SELECT p.*, m.thread_id, m.created_at_utc, m.subject, m.sender_address, m.sender_principal_id, m.canonical_path
FROM mailbox_projections p JOIN messages m USING (message_id)
WHERE p.registration_id = ? ORDER BY m.created_at_utc DESC, m.message_id DESC, p.folder_name`)
      .all(registrationId);
  }

  count(): number {
    return (
      this.#database.prepare<[], { n: number }>('SELECT COUNT(*) AS n FROM mailbox_projections').get()?.n ?? 0
    );
  }

  put(row: ProjectionRow): void {
    this.#database
      .prepare<[ProjectionRow]>(
        'INSERT OR REPLACE INTO mailbox_projections VALUES (@registration_id, @message_id, @folder_name, @projection_path)',
      )
      .run(row);
  }

  delete({ registration_id, message_id, folder_name }: ProjectionRow): void {
    this.#database
      .prepare<[string, string, string]>(
        'DELETE FROM mailbox_projections WHERE registration_id = ? AND message_id = ? AND folder_name = ?',
      )
      .run(registration_id, message_id, folder_name);
  }

  deleteOfRegistration(registrationId: string): void {
    this.#database
      .prepare<[string]>('DELETE FROM mailbox_projections WHERE registration_id = ?')
      .run(registrationId);
  }
}
