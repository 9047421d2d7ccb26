import { Value } from '@sinclair/typebox/value';
import { firstCodePoints } from '../../../foundation/text.js';
import { onOneLine } from '../../message/compose.js';
import { MailFault } from '../../message/mail-fault.js';
import { bareFileName, bodyPreview } from '../../message/mail-text.js';
import { toMailStamp } from '../../message/message-id.js';
import { operator } from '../../message/operator-message.js';
import type {
  MailAttachment,
  MailHeading,
  MailParticipant,
  MailView,
} from '../../transport/mail-transport.js';
import type { MailboxTable } from './account-boxes.js';
import { isWorldAddress, readNotifyHeader, usableNames } from './email-headers.js';
import type { MailRefs } from './email-ref.js';
import { answered, type Email, EmailSchema, hasKeyword, operatorNote, seen } from './email-schema.js';

const noSubject = '(no subject)';
const blobLocator = 'blob:';
const unknownSender = 'unknown@invalid.local';
/** In code points: most file systems take names of this length. */
const longestName = 255;

/**
 * Pure: checks a message.
 * @throws {MailFault} `message_damaged` for one that cannot be shown, such as a message without a date.
 */
export function checkedEmail(value: unknown, refs: MailRefs): Email & { receivedAt: string } {
  const first = Value.Check(EmailSchema, value) ? null : Value.Errors(EmailSchema, value).First();
  if (first) throw damaged(value, refs, `the server gave no usable ${first.path.slice(1) || 'message'}`);
  const email = value as Email;
  const { receivedAt } = email;
  if (typeof receivedAt !== 'string' || Number.isNaN(Date.parse(receivedAt)))
    throw damaged(value, refs, 'the server does not say when it arrived');
  return { ...email, receivedAt };
}

function damaged(value: unknown, refs: MailRefs, reason: string): MailFault {
  const { id } = (value ?? {}) as { id?: unknown };
  const name = typeof id === 'string' ? refs.message(id) : 'a message';
  return new MailFault('message_damaged', `${name} cannot be shown: ${reason}`);
}

type CheckedEmail = Email & { receivedAt: string };

/** Pure: returns the heading of a message. One without a Message-ID is identified by its reference only. */
export function headingOf(email: CheckedEmail, refs: MailRefs): MailHeading {
  const head = headOf(email, refs);
  return { ...head, key: usableNames(email.messageId)[0] ?? head.ref };
}

const headOf = (email: CheckedEmail, refs: MailRefs): Omit<MailHeading, 'key'> => ({
  ref: refs.message(email.id),
  threadRef: email.threadId ? refs.thread(email.threadId) : null,
  createdAtUtc: toMailStamp(new Date(email.receivedAt)),
  subject: subjectOf(email),
});

/** Pure: converts a message of this transport to the form that all transports use. */
export function emailView(
  email: Email & { receivedAt: string },
  boxes: MailboxTable,
  refs: MailRefs,
): MailView {
  const { keywords, mailboxIds } = email;
  const box = boxes.boxOf(Object.keys(mailboxIds ?? {}));
  const body = bodyOf(email);
  return {
    ...headOf(email, refs),
    read: hasKeyword(keywords, seen),
    answered: hasKeyword(keywords, answered),
    archived: box === 'archive',
    box,
    body,
    preview: bodyPreview(body),
    sender: hasKeyword(keywords, operatorNote) ? operatorSender : senderOf(email),
    to: participants(email.to),
    cc: participants(email.cc),
    replyTo: participants(email.replyTo),
    attachments: attachmentsOf(email),
    ...readNotifyHeader(email['header:X-Houmao-Notify:asText'] ?? null),
  };
}

const operatorSender: MailParticipant = {
  address: operator.address,
  displayName: operator.displayName,
  principalId: operator.principalId,
};

/** Returns the sender. A header names the sender, and anyone can write one: so no principal is known. */
const senderOf = ({ from }: Email): MailParticipant =>
  participants(from?.slice(0, 1))[0] ?? { address: unknownSender, displayName: null, principalId: null };

/** Leaves out texts that are no address: nothing could be sent there, and they might look like another person's. */
const participants = (addresses: Email['from']): MailParticipant[] =>
  (addresses ?? []).flatMap(({ email, name }) =>
    email && isWorldAddress(email)
      ? [{ address: email, displayName: onOneLine(name ?? '') || null, principalId: null }]
      : [],
  );

const subjectOf = ({ subject }: Email): string => onOneLine(subject ?? '') || noSubject;

/** Joins the parts of a text line by line, without the end of the last line, which belongs to the mail and not to the text. */
const bodyOf = ({ textBody, bodyValues }: Email): string =>
  (textBody ?? [])
    .flatMap(({ partId }) => (partId ? (bodyValues?.[partId]?.value ?? []) : []))
    .join('\n')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');

const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/**
 * Servers that name a blob by its content have one for all files with that content: the second such
 * file of a message is `<blob>.2`.
 */
function attachmentsOf({ attachments }: Email): MailAttachment[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return (attachments ?? []).map((part) => {
    const blob = part.blobId ?? part.partId ?? '';
    let count = counts.get(blob) ?? 0;
    let id: string;
    do {
      count += 1;
      id = count === 1 ? blob : `${blob}.${count}`;
    } while (taken.has(id));
    counts.set(blob, count);
    taken.add(id);
    return attachmentOf(part, id);
  });
}

function attachmentOf(
  { blobId, type, name, size }: NonNullable<Email['attachments']>[number],
  attachmentId: string,
): MailAttachment {
  return {
    attachmentId,
    kind: 'transport_owned',
    mediaType: type && mediaType.test(type) ? type : 'application/octet-stream',
    locator: blobId ? `${blobLocator}${blobId}` : null,
    sizeBytes: size ?? null,
    sha256: null,
    label: fileNameIn(name ?? ''),
  };
}

/** Pure: returns the blob of an attachment as it is shown here; where the server gave a part no blob, its id. */
export const blobIdOf = ({ locator, attachmentId }: MailAttachment): string =>
  locator?.slice(blobLocator.length) ?? attachmentId;

/** Cleans a file name: a program that saves the file may take the name for a path, and invisible characters mislead people. */
function fileNameIn(text: string): string | null {
  const name = onOneLine(bareFileName(text));
  return /^\.*$/.test(name) ? null : firstCodePoints(name, longestName);
}
