import { parseAddress } from '../../message/address.js';
import { MailFault } from '../../message/mail-fault.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { whenFree } from '../root/when-free.js';
import type { RegistrationRow, RegistrationStatus } from '../tables/registration-table.js';

/** Every registration of a root, the oldest first. */
export const listAccounts = (root: MailRoot): Promise<RegistrationRow[]> =>
  root.work(() => whenFree(root.clock, root.paths.index, () => root.index.registrations.all()));

const preference: readonly RegistrationStatus[] = ['active', 'stashed', 'inactive'];

/** The registration of an address: the active one, else the newest stashed one, else the newest inactive one. @throws {MailFault} */
export const findAccount = (root: MailRoot, given: string): Promise<RegistrationRow> =>
  root.work(async () => {
    const address = parseAddress(given, 'address');
    const rows = await whenFree(root.clock, root.paths.index, () =>
      root.index.registrations.ofAddress(address),
    );
    for (const status of preference) {
      const found = rows.find((row) => row.status === status);
      if (found) return found;
    }
    throw new MailFault('not_registered', `${address} has no mailbox here`);
  });
