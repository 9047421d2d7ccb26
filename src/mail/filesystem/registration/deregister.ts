import { lstatSync } from 'node:fs';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import { toMailStamp } from '../../message/message-id.js';
import { parseAddress } from '../../message/names.js';
import { operator } from '../../message/operator-message.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { entryPath } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { moveAway, settleCommitted } from './entry-on-disk.js';

/** `deactivate` keeps everything for a later registration; `purge` removes the mailbox, but never a message. */
export type DeregistrationMode = 'deactivate' | 'purge';

/**
 * Ends the active registration of an address.
 * @param owner the principal that it must belong to; null where that does not matter.
 * @returns its row as it was.
 * @throws {MailRefusal} for the operator's address, {MailFault} where there is no active registration.
 */
export const deregister = (
  root: MailRoot,
  given: string,
  mode: DeregistrationMode,
  owner: string | null = null,
): Promise<RegistrationRow> =>
  root.work(() => {
    const address = parseAddress(given, 'address');
    if (address === operator.address) throw new MailRefusal('address', 'the operator keeps its mailbox');
    return root.locks.withIndex([address], async () => {
      const row = await root.free(() => root.index.registrations.active(address));
      if (!row) throw new MailFault('not_registered', `${address} has no active mailbox here`);
      if (owner !== null && row.owner_principal_id !== owner)
        throw new MailFault(
          'owner_differs',
          `${address} belongs to ${row.owner_principal_id}, not to ${owner}`,
        );
      if (mode === 'purge') await purge(root, row);
      else await deactivate(root, row);
      return row;
    });
  });

const deactivate = (root: MailRoot, row: RegistrationRow): Promise<void> =>
  root.free(() =>
    root.index.database.transact(() =>
      root.index.registrations.update({
        ...row,
        status: 'inactive',
        deactivated_at_utc: toMailStamp(root.clock.now()),
      }),
    ),
  );

/** Removes the entry by the address, not by the path in the row: nothing but an entry of mailboxes/ is ever removed. */
const purge = (root: MailRoot, row: RegistrationRow): Promise<void> =>
  forgetRegistration(root, row, {
    entry: entryPath(root.paths, row.address),
    doneWords: `${row.address} is purged`,
  });

/**
 * Removes a registration from the index, and its entry from `mailboxes/`; a private folder stays with its content, only the link
 * to it is removed. To be called under the locks of its address.
 * @param entry null where the entry stays.
 * @param doneWords begins the message of the fault where the entry could not be removed after that.
 * @throws {MailFault} nothing is changed then, unless the code is `state_late`.
 */
export async function forgetRegistration(
  root: MailRoot,
  row: RegistrationRow,
  { entry, doneWords }: { entry: string | null; doneWords: string },
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
  if (moved) settleCommitted(moved, null, doneWords);
}
