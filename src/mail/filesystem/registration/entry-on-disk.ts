import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MailFault } from '../../message/mail-fault.js';
import { newHexId } from '../../message/message-id.js';
import { entryPath, linkTarget, type MailPaths, standardBoxes } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { RegistrationFacts, RegistrationRequest } from './plan-registration.js';

/** What stands at the entry of a mailbox that is asked for. */
export function lookAtEntry(request: RegistrationRequest): RegistrationFacts['onDisk'] {
  const found = lstatSync(request.entryPath, { throwIfNoEntry: false });
  if (!found) return 'nothing';
  if (request.kind === 'symlink')
    return linkTarget(request.entryPath) === request.mailboxPath ? 'usable' : 'occupied';
  return isUnused(request.entryPath) ? 'usable' : 'occupied';
}

/** The folder of a mailbox in which nothing is, such as one whose registration did not come to its end. */
export function isUnused(path: string): boolean {
  if (!lstatSync(path).isDirectory()) return false;
  return readdirSync(path, { withFileTypes: true }).every((entry) =>
    entry.isDirectory()
      ? standardBoxes.some((box) => box === entry.name) && readdirSync(join(path, entry.name)).length === 0
      : /^mailbox\.sqlite(-journal)?$/.test(entry.name),
  );
}

export const displacedPrefix = 'displaced-';

/** Something that was moved out of the way. */
export interface MovedEntry {
  /** Puts it back. */
  undo(): void;
  /** Puts it where it is to stay, or away for good. */
  settle(to: string | null): void;
}

/**
 * Moves a mailbox to where it waits until the one in its place is registered.
 * @param registrationId tells whoever finds it there whether that was committed; null where nobody had registered it.
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
 * Settles what was moved away, once the index has what takes its place. @throws {MailFault} `state_late`
 * @param done what is done all the same.
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

/** What was made in its place by then holds nothing yet. */
function putBack(waiting: string, entryPath: string): void {
  rmSync(entryPath, { recursive: true, force: true });
  renameSync(waiting, entryPath);
}

/**
 * Brings to an end what became of mailboxes that still wait: the index says whether their place was taken. One that it does
 * not know is left where it is, for its index may have been lost; so is one whose place somebody else has by now, and one
 * that cannot be moved. To be called under the lock of the index.
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
  // What a registration made that did not come to its end: an empty mailbox, or a link to one.
  else if (status !== 'stashed' && !isTaken && (found.isSymbolicLink() || isUnused(entry)))
    putBack(waiting, entry);
}

export const stashPath = (entry: string): string => `${entry}--${newHexId()}`;
