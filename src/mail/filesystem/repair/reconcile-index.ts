import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type MailMessage, type Principal, recipientsOf } from '../../message/mail-message.js';
import { newHexId } from '../../message/message-id.js';
import { isBoxName, parseEntryName } from '../../message/names.js';
import { operator } from '../../message/operator-message.js';
import { type MailRoot, readMessageFile } from '../mailbox/mail-root.js';
import { linksIn } from '../mailbox/projection-links.js';
import { isOfOneMailbox } from '../root/faults.js';
import { type MailPaths, projectionPath } from '../root/mail-paths.js';
import type { MailIndex } from '../tables/mail-databases.js';
import { messageRow, recipientRows } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { ScannedMessages } from './scan-messages.js';

/** Returns the boxes of a mailbox that a message is in, by its links and its own database; none where neither has it. */
export type BoxesOnDisk = (registration: RegistrationRow, messageId: string) => readonly string[];

interface Facts {
  paths: MailPaths;
  scanned: ScannedMessages;
  boxesOnDisk: BoxesOnDisk;
}

/**
 * Brings an index in line with the files: missing messages are added, messages without a file are deleted, and the other rows
 * stay as they are. To be called in a transaction of the index.
 * @returns the paths that the files of deleted messages had.
 */
export function reconcileIndex(index: MailIndex, { paths, scanned, boxesOnDisk }: Facts): string[] {
  const damaged = new Set(scanned.damaged.map(({ path }) => basename(path, '.md')));
  const known = new Set(index.messages.ids());
  const gone: string[] = [];
  for (const id of known) {
    const path = index.messages.place(id)?.canonical_path ?? '';
    if (scanned.paths.has(id) || damaged.has(id) || scanned.hidden.has(dirname(path))) continue;
    index.messages.delete(id);
    gone.push(path);
  }
  for (const [id, path] of scanned.paths)
    if (known.has(id)) index.messages.setPath(id, path);
    else addMessage(index, readMessageFile(paths, path), path, boxesOnDisk);
  index.threads.refreshAll();
  return gone;
}

/** Gives registrations that the index did not have their links to messages that it had. */
export function projectFound(
  index: MailIndex,
  registrations: readonly RegistrationRow[],
  boxesOnDisk: BoxesOnDisk,
): void {
  const ids = index.messages.ids();
  for (const registration of registrations)
    for (const id of ids)
      for (const box of boxesOnDisk(registration, id))
        index.projections.put(projectionOf(registration, id, box));
}

const projectionOf = ({ registration_id, mailbox_path }: RegistrationRow, id: string, box: string) => ({
  registration_id,
  message_id: id,
  folder_name: box,
  projection_path: projectionPath(mailbox_path, box, id),
});

function addMessage(
  index: MailIndex,
  { message, document }: { message: MailMessage; document: string },
  path: string,
  boxesOnDisk: BoxesOnDisk,
): void {
  const registrationOf = registrationsOf(index, message);
  const sender = registrationOf(message.from.address);
  const senderRegistration = sender?.registration_id ?? null;
  index.messages.insert(messageRow(message, { path, document, senderRegistration }));
  for (const row of recipientRows(message, (address) => registrationOf(address)?.registration_id ?? null))
    index.messages.insertRecipient(row);
  // Two files may name the same attachment, and one may name it twice; the tables have it once.
  const attachments = new Map(message.attachments.map((each) => [each.attachmentId, each]));
  for (const [ordinal, attachment] of [...attachments.values()].entries()) {
    if (!index.messages.hasAttachment(attachment.attachmentId)) index.messages.insertAttachment(attachment);
    index.messages.linkAttachment(message.messageId, attachment.attachmentId, ordinal);
  }
  for (const [address, boxes] of boxesOfDelivery(message)) {
    const registration = registrationOf(address);
    if (!registration) continue;
    const found = boxesOnDisk(registration, message.messageId);
    for (const box of found.length > 0 ? found : boxes)
      index.projections.put(projectionOf(registration, message.messageId, box));
  }
}

/** Returns the active registration of an address, if it belongs to the owner that the message names. */
function registrationsOf(
  index: MailIndex,
  message: MailMessage,
): (address: string) => RegistrationRow | undefined {
  const parties = [message.from, ...recipientsOf(message)];
  const owners = new Map(parties.map(({ address, principalId }) => [address, principalId]));
  return (address) => {
    const row = index.registrations.active(address);
    return row?.owner_principal_id === owners.get(address) ? row : undefined;
  };
}

/** Returns the boxes that a delivery puts a message into, by address. */
function boxesOfDelivery(message: MailMessage): Map<string, string[]> {
  const boxes = new Map(recipientsOf(message).map(({ address }) => [address, ['inbox']]));
  boxes.set(message.from.address, [...(boxes.get(message.from.address) ?? []), 'sent']);
  return boxes;
}

/** Reads the boxes from the mailboxes themselves; the links of each mailbox are read once. */
export function askMailboxes(root: MailRoot): BoxesOnDisk {
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

/** Ignores a fault of one mailbox: it is reported, or repaired, when that mailbox is restored later in this repair. */
function unlessUnusable<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch (error) {
    if (isOfOneMailbox(error)) return otherwise;
    throw error;
  }
}

/** An entry of `mailboxes/`. */
export interface FoundEntry {
  name: string;
  path: string;
  /** The target of a link; null for a folder. */
  target: string | null;
}

/**
 * Returns the entries that no registration has, because their rows were lost. Where the index knows other mailboxes, an empty
 * entry is left out: it comes from a registration that was not completed, and belongs to no one.
 */
export function lostEntries(
  entries: readonly FoundEntry[],
  rows: readonly RegistrationRow[],
  isUnused: (path: string) => boolean,
): FoundEntry[] {
  const known = new Set(rows.map((row) => row.mailbox_entry_path));
  const active = new Set(rows.filter(({ status }) => status === 'active').map(({ address }) => address));
  const knowsOthers = rows.some(({ address }) => address !== operator.address);
  return entries.filter(
    ({ name, path, target }) =>
      !known.has(path) && !active.has(name) && !(knowsOthers && target === null && isUnused(path)),
  );
}

/**
 * Makes registrations from entries where no index has them. The owner is the one that the messages name; where none does, the
 * principal that would have the address by default.
 */
export function inferRegistrations(
  entries: readonly FoundEntry[],
  owners: ReadonlyMap<string, Principal>,
  now: string,
): RegistrationRow[] {
  return entries.flatMap(({ name, path, target }) => {
    const entry = parseEntryName(name);
    if (!entry) return [];
    const { address, stashed } = entry;
    const isOperator = address === operator.address;
    const row: RegistrationRow = {
      registration_id: `reg-${newHexId()}`,
      address,
      status: stashed ? 'stashed' : 'active',
      owner_principal_id: isOperator ? operator.principalId : ownerOf(address, owners),
      mailbox_kind: target === null ? 'in_root' : 'symlink',
      mailbox_path: target ?? path,
      mailbox_entry_path: path,
      display_name: isOperator ? operator.displayName : null,
      manifest_path_hint: null,
      role: isOperator ? operator.role : null,
      created_at_utc: now,
      deactivated_at_utc: stashed ? now : null,
      replaced_by_registration_id: null,
    };
    return [row];
  });
}

function ownerOf(address: string, owners: ReadonlyMap<string, Principal>): string {
  const local = address.slice(0, address.indexOf('@'));
  const byDefault = local.startsWith('HOUMAO-') ? local : `HOUMAO-${local}`;
  return owners.get(address)?.principalId ?? byDefault;
}
