import { existsSync, lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { splitReference } from '../../../foundation/host-name.js';
import { makeFolder } from '../../../foundation/make-folder.js';
import { addressAtHome, addressOn, hostAddress, ownerOn } from '../../message/across-hosts.js';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, plainPrincipal } from '../../message/mail-message.js';
import { strip } from '../../message/mail-text.js';
import { isAddress, noAddress } from '../../message/names.js';
import { readCarrier } from '../root/carrier-file.js';
import {
  entryPath,
  isBelow,
  linkTarget,
  type MailPaths,
  realPathOf,
  standardBoxes,
} from '../root/mail-paths.js';
import type { MailboxDatabase } from '../tables/mail-databases.js';
import type { MailboxKind, RegistrationRow } from '../tables/registration-table.js';
import type { MailRoot } from './mail-root.js';

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

/** Returns the present owners of addresses; those of other hosts need no mailbox here yet. @throws {MailFault} `recipient_unknown`; for a short name it suggests an address. */
export const resolveRecipients = (root: MailRoot, names: readonly string[]): Promise<Principal[]> =>
  root.work(() => root.free(() => names.map((name) => recipientOf(root, strip(name)))));

function recipientOf(root: MailRoot, name: string): Principal {
  const agent = splitReference(name);
  if (agent !== null && root.index.registrations.active(name) === undefined && isHost(root, agent.host))
    throw new MailFault(
      'recipient_unknown',
      `${name} names an agent; its mailbox is ${addressOn({ local: agent.agent, host: agent.host })}`,
    );
  if (!isAddress(name))
    throw new MailFault('recipient_unknown', shortName(name, root.index.registrations.all()));
  const place = hostAddress(name);
  if (place !== null && root.index.registrations.active(name) === undefined)
    return readCarrier(root.paths)?.host === place.host
      ? recipientOf(root, addressAtHome(place.local))
      : plainPrincipal(ownerOn(place), name);
  const { owner_principal_id: owner } = activeRegistration(root, name, 'recipient_unknown');
  return plainPrincipal(owner, name);
}

/** Whether a name is that of this host in its fleet, or of another one. */
function isHost({ paths }: MailRoot, name: string): boolean {
  const carrier = readCarrier(paths);
  return carrier !== null && (carrier.host === name || carrier.hosts.includes(name));
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

const damaged = (path: string, reason: string): never => {
  throw new MailFault('mailbox_damaged', `${path}: ${reason}; repair the mailbox or register it again`);
};

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** A mailbox and the place where it is to be. */
export interface MailboxFolder {
  kind: MailboxKind;
  mailboxPath: string;
  entryPath: string;
}

/**
 * Makes the missing parts of a mailbox: its folder, its boxes and, for a private one, the link to it.
 * @throws {MailFault} `mailbox_damaged` where something else is there, such as a link that leads
 * elsewhere; nothing is made behind it.
 */
export function makeMailbox({ kind, mailboxPath, entryPath }: MailboxFolder): void {
  const isLinked = kind === 'symlink' && linkTarget(entryPath) === mailboxPath;
  if (kind === 'symlink' && !isLinked && lstatSync(entryPath, { throwIfNoEntry: false }))
    damaged(entryPath, `is not a link to ${mailboxPath}`);
  // The parent folder of a private mailbox may be missing, too; its path is real.
  makeReal(mailboxPath, kind === 'symlink');
  if (realpathSync(mailboxPath) !== mailboxPath) damaged(mailboxPath, 'is not a folder at its real path');
  for (const box of standardBoxes) makeReal(join(mailboxPath, box));
  if (kind === 'symlink' && !isLinked) symlinkSync(mailboxPath, entryPath);
}

function makeReal(path: string, isDeep = false): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) damaged(path, 'is not a folder');
  if (found) return;
  if (isDeep) makeFolder(path);
  else mkdirSync(path);
}

/**
 * Checks that a mailbox is where its registration says: below the root and not a link, or a private folder outside of it that the
 * entry is a link to. Nothing else may lead out of the root.
 * @throws {MailFault} `mailbox_damaged`
 */
export function checkPlace(paths: MailPaths, row: RegistrationRow): void {
  const { mailbox_path: path, mailbox_entry_path: entry, mailbox_kind: kind } = row;
  checkNames(paths, row);
  if (kind === 'in_root') {
    if (!isFolder(path)) damaged(path, 'is not a folder');
  } else {
    if (linkTarget(entry) !== path) damaged(entry, `is not a link to ${path}`);
    if (!isFolder(path) || realpathSync(path) !== path) damaged(path, 'is not a folder at its real path');
  }
}

/** Checks that an active registration names a place that a mailbox of this root may have, whatever is there. */
export function checkNames(paths: MailPaths, row: RegistrationRow): void {
  const { mailbox_path: path, mailbox_entry_path: entry, mailbox_kind: kind } = row;
  if (entry !== entryPath(paths, row.address)) damaged(entry, 'is not the mailbox folder of this address');
  if (kind === 'in_root') {
    if (path !== entry) damaged(path, 'is not the mailbox folder of this address');
  } else if (isBelow(path, paths.root) || path === paths.root) damaged(path, 'is inside the root');
}

/** Checks that a mailbox is in its place and has its boxes. @throws {MailFault} `mailbox_damaged` */
export function checkMailbox(paths: MailPaths, row: RegistrationRow): void {
  checkPlace(paths, row);
  for (const box of standardBoxes) {
    const folder = join(row.mailbox_path, box);
    if (!isFolder(folder)) damaged(folder, 'is not a folder');
  }
}

/**
 * Decides whether the folder that a registration names, also one that has ended, belongs to a mailbox of this root. A root that
 * was copied from another one names the mailboxes of that one.
 */
export function standsInPlace(paths: MailPaths, row: RegistrationRow): boolean {
  const { mailbox_path: path, mailbox_entry_path: entry, address } = row;
  const name = basename(entry);
  if (entry !== entryPath(paths, name) || (name !== address && !name.startsWith(`${address}--`)))
    return false;
  if (!isFolder(path)) return false;
  if (row.mailbox_kind === 'in_root') return path === entry;
  return path !== paths.root && !isBelow(path, paths.root) && realpathSync(path) === path;
}
