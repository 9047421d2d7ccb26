import { lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { UnusableFile } from '../../../foundation/faults.js';
import { checkMailbox, checkNames, checkPlace, makeMailbox } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { linksIn, makeBox } from '../mailbox/projection-links.js';
import { boxesByMessage } from '../mailbox/seed-states.js';
import { stateFromBoxes } from '../mailbox/state-defaults.js';
import { isDamage } from '../root/faults.js';
import { backupPath, linkTarget, type MailPaths, projectionPath } from '../root/mail-paths.js';
import { whenFree } from '../root/shared-database.js';
import type { MessagePlace } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { StateRow } from '../tables/state-table.js';

export interface RestoredStates {
  /** Rows that existed and were kept. */
  kept: number;
  /** Rows that were made from the boxes. */
  added: number;
}

/**
 * Makes the missing parts of an active mailbox.
 * @returns false where its private folder is gone.
 * @throws {MailFault} where something else is in its place.
 */
export function restoreEntry(paths: MailPaths, registration: RegistrationRow): boolean {
  const { mailbox_kind: kind, mailbox_path: mailboxPath, mailbox_entry_path: entry } = registration;
  checkNames(paths, registration);
  if (kind === 'symlink' && !lstatSync(mailboxPath, { throwIfNoEntry: false })) return false;
  makeMailbox({ kind, mailboxPath, entryPath: entry });
  checkPlace(paths, registration);
  return true;
}

/** Gives every message of the index its link and its state in a mailbox, and removes the states of messages that are gone. */
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

/**
 * Returns the row that a mailbox should have for a message: the present one, unless it is missing or names a box
 * that the message was moved out of.
 */
function alignedState(state: StateRow | undefined, place: MessagePlace, boxes: readonly string[]): StateRow {
  const byBoxes = stateFromBoxes(place, boxes);
  if (!state) return byBoxes;
  if (boxes.length === 0 || boxes.includes(state.box_name)) return state;
  const { box_name, is_archived } = byBoxes;
  return { ...state, box_name, is_archived, is_read: is_archived === 1 ? 1 : state.is_read };
}

/**
 * Brings links and states of a mailbox in line with the index, which says what was committed. The index is read again for each of
 * both, because the older implementation moves without a lock.
 * @returns the number of rows that were added to its own database.
 * @throws {MailFault} where the mailbox is not complete.
 */
export async function alignMailbox(root: MailRoot, registration: RegistrationRow): Promise<number> {
  const { registration_id, mailbox_path } = registration;
  checkMailbox(root.paths, registration);
  await root.free(() =>
    root.index.database.transact(() => alignLinks(root, mailbox_path, boxesByMessage(root, registration_id))),
  );
  const { database, states, threads } = root.database(mailbox_path);
  return whenFree(root.clock, database.path, () =>
    database.transact(() => {
      const known = new Map(states.all().map((row) => [row.message_id, row]));
      let added = 0;
      for (const [id, names] of boxesByMessage(root, registration_id)) {
        const place = root.index.messages.place(id);
        const state = known.get(id);
        const aligned = place && alignedState(state, place, names);
        if (aligned && aligned !== state) states.put(aligned);
        if (aligned && !state) added += 1;
      }
      threads.refreshAll();
      return added;
    }),
  );
}

function alignLinks(
  root: MailRoot,
  mailboxPath: string,
  boxes: ReadonlyMap<string, readonly string[]>,
): void {
  for (const { box, messageId, path } of linksIn(mailboxPath, root.paths.messages))
    if (!boxes.get(messageId)?.includes(box)) rmSync(path, { force: true });
  for (const [id, names] of boxes) {
    const place = root.index.messages.place(id);
    for (const box of place ? names : []) {
      makeBox(mailboxPath, box);
      relink(projectionPath(mailboxPath, box, id), place?.canonical_path ?? '');
    }
  }
}

/** Corrects a link. A file that is no link is not ours, and stays. */
function relink(link: string, canonicalPath: string): void {
  const target = linkTarget(link);
  if (target === canonicalPath) return;
  if (target !== null) rmSync(link, { force: true });
  else if (lstatSync(link, { throwIfNoEntry: false })) return;
  symlinkSync(canonicalPath, link);
}
