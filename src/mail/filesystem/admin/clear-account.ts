import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAddress } from '../../message/address.js';
import { activeMailbox } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { standsInPlace } from '../mailbox/mailbox-folder.js';
import { dropLink, linksIn } from '../mailbox/projection-links.js';
import { canonicalPath, isBelow, type MailPaths } from '../root/mail-paths.js';
import { whenFree } from '../root/when-free.js';
import type { LinkedAttachment, MessageHeading } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { ClearedItem } from './clear-messages.js';

export interface ClearedAccount {
  registration: RegistrationRow;
  items: ClearedItem[];
  /** Messages that others have, too. */
  kept: MessageHeading[];
}

/**
 * Removes the messages of one active account from its boxes, and for good where nobody else has them. Files go first: who dies in
 * between leaves an index that still names them, and the next call finishes.
 * @param dryRun changes nothing, and tells what would go.
 * @throws {MailRefusal} `address`
 * @throws {MailFault} `not_registered`, `mailbox_damaged` and whatever else a root or a disk refuses.
 */
export const clearAccount = (root: MailRoot, given: string, dryRun: boolean): Promise<ClearedAccount> =>
  root.work(async () => {
    const { index, clock, paths } = root;
    const address = parseAddress(given, 'address');
    const free = <T>(work: () => T): Promise<T> => whenFree(clock, paths.index, work);
    const planned = await free(() => look(root, address));
    if (dryRun) return planned;
    const addresses = await free(() => index.registrations.all().map((row) => row.address));
    return root.locks.withIndex([...new Set([...addresses, address])], async () => {
      const { boxes, gone, ...now } = await free(() => look(root, address));
      for (const link of boxes) dropLink(link);
      for (const { path, goes, kind } of now.items)
        if (goes && kind !== 'mailbox_projection' && kind !== 'mailbox_local_state')
          rmSync(path, { recursive: true, force: true });
      await free(() =>
        index.database.transact(() => {
          index.projections.deleteOfRegistration(now.registration.registration_id);
          for (const { message_id: id } of gone) index.messages.delete(id);
          index.messages.deleteUnlinkedAttachments();
          index.threads.refreshAll();
        }),
      );
      const { database, states, threads } = root.database(now.registration.mailbox_path);
      await whenFree(clock, database.path, () =>
        database.transact(() => {
          states.deleteAll();
          threads.refreshAll();
        }),
      );
      return now;
    });
  });

type Look = ClearedAccount & { boxes: string[]; gone: MessageHeading[] };

function look(root: MailRoot, address: string): Look {
  const { index, paths } = root;
  const { registration } = activeMailbox(root, { address, principalId: null });
  const links = linksIn(registration.mailbox_path, paths.messages);
  const mine = new Set([
    ...links.map(({ messageId }) => messageId),
    ...index.projections.ofRegistration(registration.registration_id).map((row) => row.message_id),
  ]);
  const others = keptByOthers(root, registration);
  const messages = index.messages.headings().filter(({ message_id: id }) => mine.has(id));
  const gone = messages.filter(({ message_id: id }) => !others.has(id));
  const goneIds = new Set(gone.map(({ message_id: id }) => id));
  const attachments = index.messages.allAttachments();
  const used = attachments.filter(({ message_id: id }) => !goneIds.has(id)).map((row) => row.attachment_id);
  const item =
    (kind: ClearedItem['kind'], goes = true) =>
    (path: string) => ({ kind, path, goes });
  const boxes = links.map(({ path }) => path);
  return {
    registration,
    boxes,
    gone,
    kept: messages.filter(({ message_id: id }) => others.has(id)),
    items: [
      ...boxes.map(item('mailbox_projection')),
      item('mailbox_local_state')(join(registration.mailbox_path, 'mailbox.sqlite')),
      ...gone.map((row) => fileOf(paths, row)),
      ...attachments
        .filter((row) => goneIds.has(row.message_id) && !used.includes(row.attachment_id))
        .filter(({ kind }) => kind === 'managed_copy')
        .map((row) => copyOf(paths, row)),
    ].filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) !== undefined),
  };
}

/** What another account has by the index, or by a link in its boxes: the index may be behind. */
function keptByOthers({ index, paths }: MailRoot, own: RegistrationRow): Set<string> {
  const others = index.registrations
    .all()
    .filter((row) => row.mailbox_path !== own.mailbox_path && standsInPlace(paths, row));
  return new Set([
    ...index.projections.idsBeside(own.registration_id),
    ...others.flatMap((row) => linksIn(row.mailbox_path, paths.messages)).map(({ messageId }) => messageId),
  ]);
}

function fileOf(paths: MailPaths, row: MessageHeading): ClearedItem {
  const path = canonicalPath(paths, { messageId: row.message_id, createdAtUtc: row.created_at_utc });
  const goes = path === row.canonical_path && dirname(dirname(path)) === paths.messages;
  return { kind: 'canonical_message', path: row.canonical_path, goes };
}

/** The folder of its id, with the copy alone in it. */
function copyOf(
  { managedAttachments }: MailPaths,
  { attachment_id: id, locator }: LinkedAttachment,
): ClearedItem {
  const folder = join(managedAttachments, id);
  const goes =
    dirname(folder) === managedAttachments &&
    isBelow(locator, folder) &&
    lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true &&
    readdirSync(folder).length === 1;
  return { kind: 'managed_attachment', path: goes ? folder : locator, goes };
}
