import { lstatSync } from 'node:fs';
import type { MailRoot } from '../mailbox/mail-root.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { moveAway, settleCommitted } from './entry-on-disk.js';

/**
 * Takes a registration out of the index, and its entry out of `mailboxes/`; a private folder stays with its content, only the link
 * to it goes. To be called under the locks of its address.
 * @param entry null where the entry stays.
 * @param told what is said of it where the entry could not be removed after that.
 * @throws {MailFault} nothing is changed then, unless the code is `state_late`.
 */
export async function forgetRegistration(
  root: MailRoot,
  row: RegistrationRow,
  { entry, told }: { entry: string | null; told: string },
): Promise<void> {
  const { index, paths } = root;
  const isThere = entry !== null && lstatSync(entry, { throwIfNoEntry: false }) !== undefined;
  const moved = isThere ? moveAway(paths, entry, row.registration_id) : null;
  try {
    await root.free(() =>
      index.database.transact(() => {
        index.projections.deleteOfRegistration(row.registration_id);
        index.registrations.deleteOldState(row.registration_id);
        index.registrations.delete(row.registration_id);
      }),
    );
  } catch (error) {
    moved?.undo();
    throw error;
  }
  if (moved) settleCommitted(moved, null, told);
}
