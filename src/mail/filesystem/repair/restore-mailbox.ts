import { lstatSync, renameSync } from 'node:fs';
import { UnusableFile } from '../../../foundation/unusable-file.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { checkNames, checkPlace, makeMailbox } from '../mailbox/mailbox-folder.js';
import { backupPath } from '../root/backup-path.js';
import type { MailPaths } from '../root/mail-paths.js';
import { isDamage } from '../root/one-mailbox.js';
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
  const free = <T>(work: () => T): Promise<T> => whenFree(root.clock, database.path, work);
  try {
    await free(() => {
      database.create();
      if (!database.isSound()) throw new UnusableFile(database.path, 'is damaged');
    });
  } catch (error) {
    if (!isDamage(error)) throw error;
    database.close();
    renameSync(database.path, backupPath(database.path, 'local-unusable', root.clock.now()));
    await free(() => database.create());
  }
  const known = new Set(await root.free(() => root.index.messages.ids()));
  const kept = await free(() =>
    database.transact(() => {
      for (const { message_id: id } of states.all()) if (!known.has(id)) states.delete(id);
      return states.all().length;
    }),
  );
  return { kept, added: await alignMailbox(root, registration) };
}
