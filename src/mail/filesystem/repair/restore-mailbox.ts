import { lstatSync, renameSync } from 'node:fs';
import { UnusableFile } from '../../../foundation/unusable-file.js';
import { toCompactMailStamp } from '../../message/mail-time.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { checkNames, checkPlace, makeMailbox } from '../mailbox/mailbox-folder.js';
import type { MailPaths } from '../root/mail-paths.js';
import { whenFree } from '../root/when-free.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { alignMailbox } from './align-mailbox.js';

export interface RestoredStates {
  /** Rows that were there and are still. */
  kept: number;
  /** Rows that were made from the boxes. */
  added: number;
}

/**
 * Makes what is missing of an active mailbox.
 * @returns false where its private folder is gone.
 * @throws {MailFault} where something else stands in its place.
 */
export function restoreEntry(paths: MailPaths, registration: RegistrationRow): boolean {
  const { mailbox_kind: kind, mailbox_path: mailboxPath, mailbox_entry_path: entry } = registration;
  checkNames(paths, registration);
  if (kind === 'symlink' && !lstatSync(mailboxPath, { throwIfNoEntry: false })) return false;
  makeMailbox({ kind, mailboxPath, entryPath: entry });
  checkPlace(paths, registration);
  return true;
}

/** Gives every message of the index its link and its state in a mailbox, and forgets states of messages that are gone. */
export async function restoreStates(root: MailRoot, registration: RegistrationRow): Promise<RestoredStates> {
  const { database, states } = root.database(registration.mailbox_path);
  try {
    database.create();
    states.isEmpty();
  } catch (error) {
    if (!(error instanceof UnusableFile || isDamage(error))) throw error;
    database.close();
    renameSync(database.path, `${database.path}.local-unusable-${toCompactMailStamp(root.clock.now())}.bak`);
    database.create();
  }
  const known = new Set(root.index.messages.ids());
  await whenFree(root.clock, database.path, () =>
    database.transact(() => {
      for (const { message_id: id } of states.all()) if (!known.has(id)) states.delete(id);
    }),
  );
  const kept = states.all().length;
  return { kept, added: await alignMailbox(root, registration) };
}

/** What SQLite says of a file that is damaged behind its first page. */
export const isDamage = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test((error as { code?: string }).code ?? '');
