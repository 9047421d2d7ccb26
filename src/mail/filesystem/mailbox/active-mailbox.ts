import { MailFault } from '../../message/mail-fault.js';
import type { MailboxDatabase } from '../tables/mailbox-database.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { MailRoot } from './mail-root.js';
import { checkMailbox } from './mailbox-folder.js';

export interface ActiveMailbox {
  registration: RegistrationRow;
  database: MailboxDatabase;
}

/**
 * The active, whole mailbox of an address.
 * @param owner who it must belong to; null where that does not matter.
 * @throws {MailFault}
 * @throws {UnusableFile} where its database is missing or damaged.
 */
export function activeMailbox(root: MailRoot, address: string, owner: string | null): ActiveMailbox {
  const registration = activeRegistration(root, address);
  if (owner !== null && registration.owner_principal_id !== owner)
    throw new MailFault(
      'owner_differs',
      `${address} belongs to ${registration.owner_principal_id}, not to ${owner}`,
    );
  checkMailbox(root.paths, registration);
  const database = root.database(registration.mailbox_path);
  database.database.require();
  return { registration, database };
}

/** @throws {MailFault} `not_registered`, with what there is instead. */
export const activeRegistration = (root: MailRoot, address: string): RegistrationRow =>
  root.index.registrations.active(address) ?? missing(root, address);

function missing(root: MailRoot, address: string): never {
  const statuses = new Set(root.index.registrations.ofAddress(address).map(({ status }) => status));
  throw new MailFault(
    'not_registered',
    statuses.size === 0
      ? `${address} has no mailbox here`
      : `${address} has no active mailbox here, only ${[...statuses].sort().join(' and ')} ones`,
  );
}
