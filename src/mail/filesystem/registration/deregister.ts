import { parseAddress } from '../../message/address.js';
import { MailFault } from '../../message/mail-fault.js';
import { MailRefusal } from '../../message/mail-refusal.js';
import { toMailStamp } from '../../message/mail-time.js';
import { operator } from '../../message/operator-message.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { entryPath } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { forgetRegistration } from './forget-registration.js';

/** `deactivate` keeps everything for a later registration; `purge` forgets the mailbox, and never a message. */
export type DeregistrationMode = 'deactivate' | 'purge';

/**
 * Ends the active registration of an address.
 * @param owner who it must belong to; null where that does not matter.
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
        ...{ ...row, status: 'inactive', deactivated_at_utc: toMailStamp(root.clock.now()) },
      }),
    ),
  );

/** By the address, not by what the row says: nothing but an entry of mailboxes/ is ever removed. */
const purge = (root: MailRoot, row: RegistrationRow): Promise<void> =>
  forgetRegistration(root, row, {
    entry: entryPath(root.paths, row.address),
    told: `${row.address} is purged`,
  });
