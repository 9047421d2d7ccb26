import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newHexId } from '../../message/message-id.js';
import { makeBoxes } from '../mailbox/mailbox-folder.js';
import { linkTarget, type MailPaths, standardBoxes } from '../root/mail-paths.js';
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

/** Something that was moved out of the way: back again, or away for good. */
export interface MovedEntry {
  path: string;
  undo(): void;
  remove(): void;
}

/** Where a displaced mailbox waits until the one in its place is registered. */
export const displacedPath = (paths: MailPaths, address: string): string =>
  join(paths.staging, `displaced-${address}--${newHexId()}`);

export const stashPath = (entryPath: string): string => `${entryPath}--${newHexId()}`;

export function moveEntry(from: string, to: string): MovedEntry {
  renameSync(from, to);
  return {
    path: to,
    undo: () => {
      // What was made in its place by then holds nothing yet.
      rmSync(from, { recursive: true, force: true });
      renameSync(to, from);
    },
    remove: () => rmSync(to, { recursive: true, force: true }),
  };
}
