import { basename, dirname } from 'node:path';
import { type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { readMessageFile } from '../mailbox/message-file.js';
import { type MailPaths, projectionPath } from '../root/mail-paths.js';
import type { MailIndex } from '../tables/mail-index.js';
import { messageRow, recipientRows } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { ScannedMessages } from './scan-messages.js';

/** In which boxes of a mailbox a message stands, by its links and its own database; none where neither knows. */
export type BoxesOnDisk = (registration: RegistrationRow, messageId: string) => readonly string[];

interface Facts {
  paths: MailPaths;
  scanned: ScannedMessages;
  boxesOnDisk: BoxesOnDisk;
}

/**
 * Brings an index in line with the files: what it lacks is added, what has no file any more goes, what it says of the rest
 * stays. To be called in a transaction of it.
 * @returns where the files of messages were that went.
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

/** Gives registrations that the index did not know their links to messages that it did. */
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
  ...{ registration_id, message_id: id, folder_name: box },
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
  // Two files may name one attachment, and one may name it twice; the tables have it once.
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

/** The active registration of an address, if it belongs to whom the message names. */
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

/** The boxes that a delivery puts a message into, by address. */
function boxesOfDelivery(message: MailMessage): Map<string, string[]> {
  const boxes = new Map(recipientsOf(message).map(({ address }) => [address, ['inbox']]));
  boxes.set(message.from.address, [...(boxes.get(message.from.address) ?? []), 'sent']);
  return boxes;
}
