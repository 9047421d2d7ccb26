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
/** Code points: what most file systems take. */
const longestName = 255;

/** Pure. @throws {MailFault} `message_damaged` for what cannot be shown, such as a message without a date. */
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

/** Pure: what a list of headings shows. A message without a name is known by its reference alone. */
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

/** Pure: a message of this transport as all transports show theirs. */
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

/** A header says who sent it, and anybody can write one: nobody's principal is known. */
const senderOf = ({ from }: Email): MailParticipant =>
  participants(from?.slice(0, 1))[0] ?? { address: unknownSender, displayName: null, principalId: null };

/** What is no address is left out: nothing could be sent there, and it might look like another's. */
const participants = (addresses: Email['from']): MailParticipant[] =>
  (addresses ?? []).flatMap(({ email, name }) =>
    email && isWorldAddress(email)
      ? [{ address: email, displayName: onOneLine(name ?? '') || null, principalId: null }]
      : [],
  );

const subjectOf = ({ subject }: Email): string => onOneLine(subject ?? '') || noSubject;

/** Parts of a text are one under the other, without the end of the last line, which belongs to the mail and not to the text. */
const bodyOf = ({ textBody, bodyValues }: Email): string =>
  (textBody ?? [])
    .flatMap(({ partId }) => (partId ? (bodyValues?.[partId]?.value ?? []) : []))
    .join('\n')
    .replace(/\r\n?/g, '\n')
    .replace(/\n$/, '');

const mediaType = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;

/** Servers that name a blob by its content have one for all files with it: the second of a message is `<blob>.2`. */
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

/** Pure: the blob of an attachment as it is shown here; of a part that the server gave no blob, its id. */
export const blobIdOf = ({ locator, attachmentId }: MailAttachment): string =>
  locator?.slice(blobLocator.length) ?? attachmentId;

/** Whoever saves the file may take its name for a place, and what is invisible for nothing. */
function fileNameIn(text: string): string | null {
  const name = onOneLine(bareFileName(text));
  return /^\.*$/.test(name) ? null : firstCodePoints(name, longestName);
}
