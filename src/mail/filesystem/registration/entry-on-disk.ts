import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MailFault } from '../../message/mail-fault.js';
import { newHexId } from '../../message/message-id.js';
import { entryPath, linkTarget, type MailPaths, standardBoxes } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { RegistrationFacts, RegistrationRequest } from './plan-registration.js';

/** Returns the state of the entry that a request names. */
export function entryState(request: RegistrationRequest): RegistrationFacts['onDisk'] {
  const found = lstatSync(request.entryPath, { throwIfNoEntry: false });
  if (!found) return 'nothing';
  if (request.kind === 'symlink')
    return linkTarget(request.entryPath) === request.mailboxPath ? 'usable' : 'occupied';
  return isUnused(request.entryPath) ? 'usable' : 'occupied';
}

/** Decides whether the folder of a mailbox is empty, such as one whose registration was not completed. */
export function isUnused(path: string): boolean {
  if (!lstatSync(path).isDirectory()) return false;
  return readdirSync(path, { withFileTypes: true }).every((entry) =>
    entry.isDirectory()
      ? standardBoxes.some((box) => box === entry.name) && readdirSync(join(path, entry.name)).length === 0
      : /^mailbox\.sqlite(-journal)?$/.test(entry.name),
  );
}

export const displacedPrefix = 'displaced-';

/** An entry that was moved out of the way. */
export interface MovedEntry {
  /** Moves it back. */
  undo(): void;
  /** Moves it to its final place; null deletes it. */
  settle(to: string | null): void;
}

/**
 * Moves a mailbox to staging, where it waits until the one in its place is registered.
 * @param registrationId lets the process that finds it there see whether that was committed; null where it had no registration.
 */
export function moveAway(paths: MailPaths, entryPath: string, registrationId: string | null): MovedEntry {
  const waiting = join(paths.staging, `${displacedPrefix}${registrationId ?? newHexId()}`);
  renameSync(entryPath, waiting);
  return {
    undo: () => putBack(waiting, entryPath),
    settle: (to) =>
      to === null ? rmSync(waiting, { recursive: true, force: true }) : renameSync(waiting, to),
  };
}

/**
 * Settles an entry that was moved away, once the index has its replacement.
 * @throws {MailFault} `state_late`
 * @param done the part that is done nevertheless.
 */
export function settleCommitted(moved: MovedEntry, to: string | null, done: string): void {
  try {
    moved.settle(to);
  } catch (error) {
    const what =
      to === null ? 'the old folder could not be removed' : `the old folder could not become ${to}`;
    throw new MailFault(
      'state_late',
      `${done}, but ${what}; repair the mailbox: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
}

/** Moves an entry back. The one that was made in its place is still empty, and is removed. */
function putBack(waiting: string, entryPath: string): void {
  rmSync(entryPath, { recursive: true, force: true });
  renameSync(waiting, entryPath);
}

/**
 * Settles mailboxes that still wait in staging: the index says whether their place was taken. A mailbox that it does not know is
 * left there, because its index may have been lost; so is one whose place another mailbox has by now, and one that cannot be
 * moved. To be called under the lock of the index.
 */
export function settleDisplaced(paths: MailPaths, rows: readonly RegistrationRow[]): void {
  for (const name of readdirSync(paths.staging)) {
    if (!name.startsWith(`${displacedPrefix}reg-`)) continue;
    const row = rows.find((each) => `${displacedPrefix}${each.registration_id}` === name);
    const isTaken = rows.some(
      (each) => each !== row && each.status === 'active' && each.address === row?.address,
    );
    try {
      if (row) settle(paths, join(paths.staging, name), { row, isTaken });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }
}

function settle(
  paths: MailPaths,
  waiting: string,
  { row, isTaken }: { row: RegistrationRow; isTaken: boolean },
): void {
  const { status, address, mailbox_entry_path, replaced_by_registration_id: by } = row;
  const entry = entryPath(paths, status === 'stashed' ? basename(mailbox_entry_path) : address);
  const found = lstatSync(entry, { throwIfNoEntry: false });
  if (status === 'inactive' && by !== null) rmSync(waiting, { recursive: true, force: true });
  else if (!found) renameSync(waiting, entry);
  // Left by a registration that was not completed: an empty mailbox, or a link to one.
  else if (status !== 'stashed' && !isTaken && (found.isSymbolicLink() || isUnused(entry)))
    putBack(waiting, entry);
}

export const stashPath = (entry: string): string => `${entry}--${newHexId()}`;
