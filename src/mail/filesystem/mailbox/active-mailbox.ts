import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, plainPrincipal } from '../../message/mail-message.js';
import { strip } from '../../message/mail-text.js';
import { isAddress, noAddress } from '../../message/names.js';
import { entryPath, realPathOf } from '../root/mail-paths.js';
import type { MailboxDatabase } from '../tables/mail-databases.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { MailRoot } from './mail-root.js';
import { checkMailbox } from './mailbox-folder.js';

export interface ActiveMailbox {
  registration: RegistrationRow;
  database: MailboxDatabase;
}

/** Names a mailbox. */
export interface MailboxName {
  address: string;
  /** Null where the owner does not matter. */
  principalId: string | null;
  /** The folder where the caller expects the mailbox; left out where that does not matter. */
  mailboxPath?: string;
}

/**
 * Returns the active mailbox of an address, after checking that it is complete.
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

/**
 * Checks the folder of an address, which may have been given another one.
 * @param expected a real path.
 * @throws {MailFault} `conflict`
 */
export function requirePath({ address, mailbox_path: path }: RegistrationRow, expected: string): void {
  if (path === expected) return;
  const remedy = 'register the mailbox for the agent again';
  throw new MailFault('conflict', `the mailbox of ${address} is ${path} now, not ${expected}; ${remedy}`);
}

/** The missing mailbox is the caller's own, or that of a recipient. */
type Missing = 'not_registered' | 'recipient_unknown';

/** @throws {MailFault} `code`, naming the registrations that exist instead. */
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

interface MailboxPlace {
  root: string;
  mailboxPath: string;
  inboxPath: string;
  sqlitePath: string;
  localSqlitePath: string;
}

/**
 * Returns the paths of a mailbox. In a root that does not exist yet, these are the paths that it would have.
 * @param expected the folder where the caller expects it; null for the one in the root.
 * @throws {MailFault} when the address has no active mailbox, or another folder.
 */
export async function mailboxPlace(
  root: MailRoot,
  address: string,
  expected: string | null,
): Promise<MailboxPlace> {
  const { paths } = root;
  const mailboxPath = expected === null ? entryPath(paths, address) : realPathOf(expected);
  if (existsSync(paths.marker) || existsSync(paths.index))
    requirePath(await root.work(() => root.free(() => activeRegistration(root, address))), mailboxPath);
  return {
    root: paths.root,
    mailboxPath,
    inboxPath: join(mailboxPath, 'inbox'),
    sqlitePath: paths.index,
    localSqlitePath: join(mailboxPath, 'mailbox.sqlite'),
  };
}

/** Returns the present owners of addresses. @throws {MailFault} `recipient_unknown`; for a short name it suggests an address. */
export const resolveRecipients = (root: MailRoot, names: readonly string[]): Promise<Principal[]> =>
  root.work(() => root.free(() => names.map((name) => recipientOf(root, strip(name)))));

function recipientOf(root: MailRoot, name: string): Principal {
  if (!isAddress(name))
    throw new MailFault('recipient_unknown', shortName(name, root.index.registrations.all()));
  const { owner_principal_id: owner } = activeRegistration(root, name, 'recipient_unknown');
  return plainPrincipal(owner, name);
}

function shortName(name: string, rows: readonly RegistrationRow[]): string {
  const meant = rows.filter(
    ({ status, address, owner_principal_id: owner }) =>
      status === 'active' &&
      (address.slice(0, address.indexOf('@')) === name || owner === name || owner === `HOUMAO-${name}`),
  );
  const [only] = meant;
  return only && meant.length === 1
    ? `${JSON.stringify(name)} is not a mailbox address; is ${only.address} meant?`
    : noAddress(name);
}
