import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newHexId } from '../../message/message-id.js';
import { makeBoxes } from '../mailbox/mailbox-folder.js';
import { entryPath, linkTarget, type MailPaths, standardBoxes } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { RegistrationFacts } from './plan-registration.js';
import type { RegistrationRequest } from './registration-request.js';

/** What stands at the entry of a mailbox that is asked for. */
export function lookAtEntry(request: RegistrationRequest): RegistrationFacts['onDisk'] {
  const found = lstatSync(request.entryPath, { throwIfNoEntry: false });
  if (!found) return 'nothing';
  if (request.kind === 'symlink')
    return linkTarget(request.entryPath) === request.mailboxPath ? 'usable' : 'occupied';
  return found.isDirectory() && isUnused(request.entryPath) ? 'usable' : 'occupied';
}

/** A mailbox in which nothing is, such as one whose registration did not come to its end. */
function isUnused(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).every((entry) =>
    entry.isDirectory()
      ? standardBoxes.some((box) => box === entry.name) && readdirSync(join(folder, entry.name)).length === 0
      : /^mailbox\.sqlite(-journal)?$/.test(entry.name),
  );
}

/** Makes the folder of a mailbox, and for a private one the link to it. What is there already stays. */
export function makeEntry({ kind, mailboxPath, entryPath }: RegistrationRequest): void {
  mkdirSync(mailboxPath, { recursive: true });
  makeBoxes(mailboxPath);
  if (kind === 'symlink' && !lstatSync(entryPath, { throwIfNoEntry: false }))
    symlinkSync(mailboxPath, entryPath);
}

const displacedPrefix = 'displaced-';

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

/** What was made in its place by then holds nothing yet. */
function putBack(waiting: string, entryPath: string): void {
  rmSync(entryPath, { recursive: true, force: true });
  renameSync(waiting, entryPath);
}

/**
 * Brings to an end what became of mailboxes that still wait: the index says whether their place was taken. One that nobody
 * had registered is left where it is. To be called under the lock of the index.
 */
export function settleDisplaced(
  paths: MailPaths,
  rowOf: (registrationId: string) => RegistrationRow | undefined,
): void {
  for (const name of readdirSync(paths.staging)) {
    if (!name.startsWith(`${displacedPrefix}reg-`)) continue;
    const waiting = join(paths.staging, name);
    const row = rowOf(name.slice(displacedPrefix.length));
    if (row?.status === 'stashed') renameSync(waiting, row.mailbox_entry_path);
    else if (!row || row.replaced_by_registration_id !== null)
      rmSync(waiting, { recursive: true, force: true });
    else putBack(waiting, entryPath(paths, row.address));
  }
}

export const stashPath = (entry: string): string => `${entry}--${newHexId()}`;
