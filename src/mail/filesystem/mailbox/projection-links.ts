import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MailFault } from '../../message/mail-fault.js';
import { isMessageId } from '../../message/message-id.js';
import { linkTarget, projectionPath } from '../root/mail-paths.js';

/** Makes the folder of a box. @returns a function that removes it again if it was made now and is still empty. */
export function makeBox(mailboxPath: string, box: string): () => void {
  const path = join(mailboxPath, box);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return () => undefined;
  if (found) throw new MailFault('mailbox_damaged', `${path}: is not a folder`);
  mkdirSync(path);
  return () => rmdirSync(path);
}

/** Makes a link to a message, if it is missing. @returns a function that removes it again if it was made now. */
export function makeLink(link: string, canonicalPath: string): () => void {
  const target = linkTarget(link);
  if (target === canonicalPath) return () => undefined;
  if (lstatSync(link, { throwIfNoEntry: false }))
    throw new MailFault('mailbox_damaged', `${link}: is not a link to ${canonicalPath}`);
  symlinkSync(canonicalPath, link);
  return () => rmSync(link, { force: true });
}

/** Removes a link; anything that is no link is not ours. */
export function dropLink(link: string): void {
  if (linkTarget(link) !== null) rmSync(link, { force: true });
}

export interface FoundLink {
  box: string;
  messageId: string;
  path: string;
}

/** Returns the links in a mailbox that lead to messages of a root. */
export function linksIn(mailboxPath: string, messages: string): FoundLink[] {
  return readdirSync(mailboxPath, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: box }) =>
      readdirSync(join(mailboxPath, box), { withFileTypes: true })
        .filter((entry) => entry.isSymbolicLink() && entry.name.endsWith('.md'))
        .map((entry) => ({ box, messageId: entry.name.slice(0, -3) }))
        .filter(({ messageId }) => isMessageId(messageId))
        .map(({ messageId }) => ({ box, messageId, path: projectionPath(mailboxPath, box, messageId) }))
        .filter(({ path }) => dirname(dirname(linkTarget(path) ?? '')) === messages),
    );
}

/**
 * Undoes steps, the last one first. A step that fails keeps no other from being undone, and does not hide the fault that all of
 * them are undone for; a repair finds what it leaves.
 */
export function takeBack(steps: readonly (() => void)[]): void {
  for (const step of [...steps].reverse())
    try {
      step();
    } catch {
      // The fault to report is the one that everything is undone for.
    }
}
