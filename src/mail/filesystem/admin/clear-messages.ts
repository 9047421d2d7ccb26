import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBoxName, parseAddress } from '../../message/names.js';
import { activeMailbox, standsInPlace } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { dropLink, linksIn } from '../mailbox/projection-links.js';
import { messageFiles } from '../repair/scan-messages.js';
import { canonicalPath, isBelow, type MailPaths, projectionPath } from '../root/mail-paths.js';
import { whenFree } from '../root/shared-database.js';
import type { LinkedAttachment, MessageHeading } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';

export type ClearedKind =
  | 'canonical_message'
  | 'mailbox_projection'
  | 'managed_attachment'
  | 'mailbox_local_state';

/** A file or folder of a root that is removed with its messages. */
export interface ClearedItem {
  kind: ClearedKind;
  path: string;
  /** False where something is in a place that this root does not use for it: it is left alone. */
  goes: boolean;
}

export interface ClearedRoot {
  items: ClearedItem[];
  registrations: RegistrationRow[];
}

/**
 * Removes every message of a root; registrations, and attached files outside of the root, stay. Files are removed first: a
 * process that dies in between leaves an index that still names them, and the next call finishes. A mailbox of another root,
 * which the index of a copied root names, is left alone.
 * @param dryRun changes nothing, and returns what would be removed.
 */
export const clearMessages = (root: MailRoot, dryRun: boolean): Promise<ClearedRoot> =>
  root.work(async () => {
    const { index, paths } = root;
    const readAll = () =>
      root.free(() => {
        const registrations = index.registrations.all();
        return { items: itemsIn(root, registrations), registrations };
      });
    const planned = await readAll();
    if (dryRun) return planned;
    const addresses = [...new Set(planned.registrations.map(({ address }) => address))];
    return root.locks.withIndex(addresses, async () => {
      const now = await readAll();
      const messages = new Set(await root.free(() => index.messages.ids()));
      for (const { name } of messageFiles(paths)) messages.add(name);
      for (const { kind, path, goes } of now.items)
        if (goes && kind !== 'mailbox_local_state') rmSync(path, { recursive: true, force: true });
      for (const path of mailboxesOf(now.registrations.filter((row) => standsInPlace(paths, row))))
        await forget(root, path, messages);
      await root.free(() =>
        index.database.transact(() => {
          index.messages.deleteAll();
          index.threads.refreshAll();
        }),
      );
      return now;
    });
  });

function itemsIn(root: MailRoot, registrations: readonly RegistrationRow[]): ClearedItem[] {
  const { paths } = root;
  const item = (kind: ClearedKind, goes: boolean) => (path: string) => ({ kind, path, goes });
  const inPlace = registrations.filter((row) => standsInPlace(paths, row));
  const own = mailboxesOf(inPlace);
  const foreign = mailboxesOf(registrations).filter((path) => !own.includes(path));
  const state = (path: string): string => join(path, 'mailbox.sqlite');
  return [
    ...[...messageFiles(paths)].map(({ path }) => path).map(item('canonical_message', true)),
    ...projections(root, inPlace, own),
    ...readdirSync(paths.managedAttachments)
      .map((name) => join(paths.managedAttachments, name))
      .map(item('managed_attachment', true)),
    ...own.map(state).map(item('mailbox_local_state', true)),
    ...foreign.map(state).map(item('mailbox_local_state', false)),
  ];
}

/**
 * Returns the links that lead to messages of this root, and other things in the place of such a link. They are found by box and
 * id, as in moves: the path in a row may lead anywhere.
 */
function projections(
  root: MailRoot,
  registrations: readonly RegistrationRow[],
  mailboxes: readonly string[],
): ClearedItem[] {
  const item = (goes: boolean) => (path: string) => ({ kind: 'mailbox_projection' as const, path, goes });
  const links = new Set(
    mailboxes.flatMap((path) => linksIn(path, root.paths.messages)).map(({ path }) => path),
  );
  const others = new Set(
    registrations
      .flatMap((row) =>
        root.index.projections
          .ofRegistration(row.registration_id)
          .filter(({ folder_name }) => isBoxName(folder_name))
          .map(({ folder_name, message_id }) => projectionPath(row.mailbox_path, folder_name, message_id)),
      )
      .filter((path) => !links.has(path) && lstatSync(path, { throwIfNoEntry: false }) !== undefined),
  );
  return [...[...links].map(item(true)), ...[...others].map(item(false))];
}

/** Returns the folders of mailboxes that exist, each once: an ended registration may have had the same folder. */
const mailboxesOf = (registrations: readonly RegistrationRow[]): string[] =>
  [...new Set(registrations.map((row) => row.mailbox_path))].filter(
    (path) =>
      lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
      lstatSync(join(path, 'mailbox.sqlite'), { throwIfNoEntry: false })?.isFile() === true,
  );

/** Removes a mailbox's states of messages of this root. A private mailbox may belong to another root by now, too. */
async function forget(root: MailRoot, mailboxPath: string, messages: ReadonlySet<string>): Promise<void> {
  const { database, states, threads } = root.database(mailboxPath);
  const isPrivate = !isBelow(mailboxPath, root.paths.root);
  await whenFree(root.clock, database.path, () =>
    database.transact(() => {
      for (const { message_id: id } of states.all()) if (!isPrivate || messages.has(id)) states.delete(id);
      threads.refreshAll();
    }),
  );
}

interface ClearedAccount {
  registration: RegistrationRow;
  items: ClearedItem[];
  /** Messages that other accounts have, too. */
  kept: MessageHeading[];
}

/**
 * Removes the messages of one active account from its boxes, and completely where no other account has them. Files are removed
 * first: a process that dies in between leaves an index that still names them, and the next call finishes.
 * @param dryRun changes nothing, and returns what would be removed.
 * @throws {MailRefusal} `address`
 * @throws {MailFault} `not_registered`, `mailbox_damaged` and other faults of a root or a disk.
 */
export const clearAccount = (root: MailRoot, given: string, dryRun: boolean): Promise<ClearedAccount> =>
  root.work(async () => {
    const { index, clock } = root;
    const address = parseAddress(given, 'address');
    const planned = await root.free(() => readAccount(root, address));
    if (dryRun) return planned;
    const addresses = await root.free(() => index.registrations.all().map((row) => row.address));
    return root.locks.withIndex([...new Set([...addresses, address])], async () => {
      const { boxes, gone, ...now } = await root.free(() => readAccount(root, address));
      for (const link of boxes) dropLink(link);
      for (const { path, goes, kind } of now.items)
        if (goes && kind !== 'mailbox_projection' && kind !== 'mailbox_local_state')
          rmSync(path, { recursive: true, force: true });
      await root.free(() =>
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

type AccountContent = ClearedAccount & { boxes: string[]; gone: MessageHeading[] };

function readAccount(root: MailRoot, address: string): AccountContent {
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

/** Returns the messages that another account has by the index, or by a link in its boxes: the index may be out of date. */
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

/** Returns the folder of the attachment's id, where it contains nothing but the copy. */
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
