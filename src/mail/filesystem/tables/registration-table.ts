import type { SharedDatabase } from '../root/shared-database.js';

export type RegistrationStatus = 'active' | 'inactive' | 'stashed';
export type MailboxKind = 'in_root' | 'symlink';

/** A row of `mailbox_registrations`: the owner of an address, and the place of its mailbox. */
export interface RegistrationRow {
  registration_id: string;
  address: string;
  owner_principal_id: string;
  status: RegistrationStatus;
  mailbox_kind: MailboxKind;
  /** The folder itself. */
  mailbox_path: string;
  /** Its path in `mailboxes/`: the same folder, or a link to it. */
  mailbox_entry_path: string;
  display_name: string | null;
  manifest_path_hint: string | null;
  role: string | null;
  created_at_utc: string;
  deactivated_at_utc: string | null;
  replaced_by_registration_id: string | null;
}

export const registrationTables = `
CREATE TABLE IF NOT EXISTS mailbox_registrations (
  registration_id TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  owner_principal_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'stashed')),
  mailbox_kind TEXT NOT NULL CHECK (mailbox_kind IN ('in_root', 'symlink')),
  mailbox_path TEXT NOT NULL,
  mailbox_entry_path TEXT NOT NULL,
  display_name TEXT,
  manifest_path_hint TEXT,
  role TEXT,
  created_at_utc TEXT NOT NULL,
  deactivated_at_utc TEXT,
  replaced_by_registration_id TEXT
    REFERENCES mailbox_registrations (registration_id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_mailbox_registrations_active_address
  ON mailbox_registrations (address) WHERE status = 'active';
CREATE INDEX IF NOT EXISTS idx_mailbox_registrations_owner_principal
  ON mailbox_registrations (owner_principal_id);
`;

/** `mailbox_registrations`, one statement per method. */
export class RegistrationTable {
  readonly #database: SharedDatabase;

  constructor(database: SharedDatabase) {
    this.#database = database;
  }

  all(): RegistrationRow[] {
    return this.#database
      .prepare<[], RegistrationRow>(
        'SELECT * FROM mailbox_registrations ORDER BY created_at_utc, registration_id',
      )
      .all();
  }

  /** Returns the status of all rows without changing the file, whatever it is. */
  statuses(): Pick<RegistrationRow, 'status'>[] {
    return this.#database.readOnly('SELECT status FROM mailbox_registrations');
  }

  ofAddress(address: string): RegistrationRow[] {
    return this.#database
      .prepare<[string], RegistrationRow>(
        'SELECT * FROM mailbox_registrations WHERE address = ? ORDER BY created_at_utc DESC, registration_id DESC',
      )
      .all(address);
  }

  get(id: string): RegistrationRow | undefined {
    return this.#database
      .prepare<[string], RegistrationRow>('SELECT * FROM mailbox_registrations WHERE registration_id = ?')
      .get(id);
  }

  active(address: string): RegistrationRow | undefined {
    return this.#database
      .prepare<[string], RegistrationRow>(
        "SELECT * FROM mailbox_registrations WHERE address = ? AND status = 'active'",
      )
      .get(address);
  }

  activeAtPath(mailboxPath: string): RegistrationRow | undefined {
    return this.#database
      .prepare<[string], RegistrationRow>(
        "SELECT * FROM mailbox_registrations WHERE mailbox_path = ? AND status = 'active'",
      )
      .get(mailboxPath);
  }

  /** Returns the newest first. */
  atEntry(entryPath: string): RegistrationRow[] {
    return this.#database
      .prepare<[string], RegistrationRow>(
        'SELECT * FROM mailbox_registrations WHERE mailbox_entry_path = ? ORDER BY created_at_utc DESC, registration_id DESC',
      )
      .all(entryPath);
  }

  insert(row: RegistrationRow): void {
    this.#database
      .prepare<[RegistrationRow]>(`
INSERT INTO mailbox_registrations VALUES (
  @registration_id, @address, @owner_principal_id, @status, @mailbox_kind, @mailbox_path, @mailbox_entry_path,
  @display_name, @manifest_path_hint, @role, @created_at_utc, @deactivated_at_utc, @replaced_by_registration_id)`)
      .run(row);
  }

  /** Writes everything that may change after a row was made. */
  update(row: RegistrationRow): void {
    this.#database
      .prepare<[RegistrationRow]>(`
UPDATE mailbox_registrations SET
  status = @status, mailbox_path = @mailbox_path, mailbox_entry_path = @mailbox_entry_path,
  display_name = @display_name, manifest_path_hint = @manifest_path_hint, role = @role,
  deactivated_at_utc = @deactivated_at_utc, replaced_by_registration_id = @replaced_by_registration_id
WHERE registration_id = @registration_id`)
      .run(row);
  }

  delete(registrationId: string): void {
    this.#database
      .prepare<[string]>('DELETE FROM mailbox_registrations WHERE registration_id = ?')
      .run(registrationId);
  }

  /** Deletes rows of a table that the format has and no program reads. */
  deleteOldState(registrationId: string): void {
    this.#database
      .prepare<[string]>('DELETE FROM mailbox_state WHERE registration_id = ?')
      .run(registrationId);
  }
}
