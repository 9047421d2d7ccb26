import { MailFault } from '../../message/mail-fault.js';
import { realPathOf } from '../root/mail-paths.js';
import type { MailboxDatabase } from '../tables/mailbox-database.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { MailRoot } from './mail-root.js';
import { checkMailbox } from './mailbox-folder.js';

export interface ActiveMailbox {
  registration: RegistrationRow;
  database: MailboxDatabase;
}

/** Which mailbox is meant. */
export interface MailboxName {
  address: string;
  /** Null where it does not matter whose it is. */
  principalId: string | null;
  /** The folder that whoever asks takes it for; left out where that does not matter. */
  mailboxPath?: string;
}

/**
 * The active, whole mailbox of an address.
 * @throws {MailFault}
 * @throws {UnusableFile} where its database is missing or damaged.
 */
export function activeMailbox(root: MailRoot, name: MailboxName): ActiveMailbox {
  const { address, principalId: owner, mailboxPath } = name;
  const registration = activeRegistration(root, address);
  if (owner !== null && registration.owner_principal_id !== owner)
    throw new MailFault(
      'owner_differs',
      `${address} belongs to ${registration.owner_principal_id}, not to ${owner}`,
    );
  if (mailboxPath !== undefined) requirePath(registration, realPathOf(mailboxPath));
  checkMailbox(root.paths, registration);
  const database = root.database(registration.mailbox_path);
  database.database.require();
  return { registration, database };
}

/** Somebody may have given the address another folder. @param expected a real path. @throws {MailFault} `conflict` */
export function requirePath({ address, mailbox_path: path }: RegistrationRow, expected: string): void {
  if (path === expected) return;
  const remedy = 'register the mailbox for the agent again';
  throw new MailFault('conflict', `the mailbox of ${address} is ${path} now, not ${expected}; ${remedy}`);
}

/** The missing mailbox is the caller's own, or one that mail is to go to. */
type Missing = 'not_registered' | 'recipient_unknown';

/** @throws {MailFault} `code`, with what there is instead. */
export const activeRegistration = (
  root: MailRoot,
  address: string,
  code: Missing = 'not_registered',
): RegistrationRow => root.index.registrations.active(address) ?? missing(root, address, code);

function missing(root: MailRoot, address: string, code: Missing): never {
  const statuses = new Set(root.index.registrations.ofAddress(address).map(({ status }) => status));
  throw new MailFault(
    code,
    statuses.size === 0
      ? `${address} has no mailbox here`
      : `${address} has no active mailbox here, only ${[...statuses].sort().join(' and ')} ones`,
  );
}
