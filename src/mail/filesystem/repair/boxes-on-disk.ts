import { lstatSync } from 'node:fs';
import { isBoxName } from '../../message/box-name.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { linksIn } from '../mailbox/projection-links.js';
import { isOfOneMailbox } from '../root/one-mailbox.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { BoxesOnDisk } from './reconcile-index.js';

/** Asks the mailboxes themselves, each of them once. */
export function boxesOnDisk(root: MailRoot): BoxesOnDisk {
  const linked = new Map<string, Map<string, string[]>>();
  return (registration, messageId) => {
    const { mailbox_path: path } = registration;
    const links = linked.get(path) ?? linksByMessage(path, root.paths.messages);
    linked.set(path, links);
    const own = links.get(messageId);
    if (own) return own;
    const box = ownBox(root, registration, messageId);
    return box !== null && isBoxName(box) ? [box] : [];
  };
}

function linksByMessage(mailboxPath: string, messages: string): Map<string, string[]> {
  const boxes = new Map<string, string[]>();
  if (!lstatSync(mailboxPath, { throwIfNoEntry: false })?.isDirectory()) return boxes;
  for (const { box, messageId } of unlessUnusable(() => linksIn(mailboxPath, messages), []))
    boxes.set(messageId, [...(boxes.get(messageId) ?? []), box]);
  return boxes;
}

const ownBox = (root: MailRoot, { mailbox_path }: RegistrationRow, messageId: string): string | null =>
  unlessUnusable(() => root.database(mailbox_path).states.get(messageId)?.box_name ?? null, null);

/** What is wrong with a mailbox is told, or mended, when it is restored in a moment. */
function unlessUnusable<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch (error) {
    if (isOfOneMailbox(error)) return otherwise;
    throw error;
  }
}
