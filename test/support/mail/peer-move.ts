import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import type { MailRoot } from '../../../src/mail/filesystem/mailbox/mail-root.js';
import { addressOf } from './mail-root.js';

/**
 * A move as the older implementation does it: without a lock file, first on the index and then on the mailbox's own database,
 * each in a transaction of its own.
 */
export class PeerMove {
  readonly #index: Database.Database;
  readonly #own: Database.Database;
  readonly #mailbox: string;

  constructor({ paths }: MailRoot, name: string) {
    this.#mailbox = join(paths.mailboxes, addressOf(name));
    const open = (path: string) => {
      const database = openDatabase(path, { timeout: 5000 });
      onTestFinished(() => void database.close());
      return database;
    };
    this.#index = open(paths.index);
    this.#own = open(join(this.#mailbox, 'mailbox.sqlite'));
  }

  beginIndex(): void {
    this.#index.exec('BEGIN IMMEDIATE');
  }

  beginOwn(): void {
    this.#own.exec('BEGIN IMMEDIATE');
  }

  commitOwn(): void {
    this.#own.exec('COMMIT');
  }

  /** Rows and links, and the end of the transaction. */
  moveInIndex(id: string, box: string): void {
    const { registration_id, canonical_path } = this.#index
      .prepare<[string, string], { registration_id: string; canonical_path: string }>(
        'SELECT registration_id, canonical_path FROM mailbox_projections JOIN messages USING (message_id) WHERE message_id = ? AND projection_path LIKE ?',
      )
      .get(id, `${this.#mailbox}/%`) as { registration_id: string; canonical_path: string };
    const path = join(this.#mailbox, box, `${id}.md`);
    mkdirSync(dirname(path), { recursive: true });
    const old = this.#index
      .prepare<[string, string, string], { projection_path: string }>(
        'SELECT projection_path FROM mailbox_projections WHERE registration_id = ? AND message_id = ? AND folder_name != ?',
      )
      .all(registration_id, id, box);
    symlinkSync(canonical_path, path);
    this.#index
      .prepare('DELETE FROM mailbox_projections WHERE registration_id = ? AND message_id = ?')
      .run(registration_id, id);
    this.#index
      .prepare('INSERT INTO mailbox_projections VALUES (?, ?, ?, ?)')
      .run(registration_id, id, box, path);
    for (const { projection_path } of old) unlinkSync(projection_path);
    this.#index.exec('COMMIT');
  }

  moveInOwn(id: string, box: string): void {
    this.#own
      .prepare('UPDATE message_state SET box_name = ?, is_archived = ? WHERE message_id = ?')
      .run(...([box, box === 'archive' ? 1 : 0, id] as const));
  }
}
