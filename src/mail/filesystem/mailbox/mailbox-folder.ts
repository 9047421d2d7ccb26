import { lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../../foundation/make-folder.js';
import { MailFault } from '../../message/mail-fault.js';
import { entryPath, isBelow, linkTarget, type MailPaths, standardBoxes } from '../root/mail-paths.js';
import type { MailboxKind, RegistrationRow } from '../tables/registration-table.js';

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
