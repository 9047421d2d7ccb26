import { type MailMessage, type Principal, recipientsOf } from '../../message/mail-message.js';
import { operator } from '../../message/operator-message.js';
import { notifyHeader, shortThread } from './email-headers.js';
import { draft, operatorNote, seen } from './email-schema.js';

/** A file that the server has already. */
export interface UploadedFile {
  blobId: string;
  mediaType: string;
  size: number;
  name: string;
}

/** Pure: makes the Message-ID for mail servers from our id of a message. @param address of its sender. */
export const worldMessageId = (messageId: string, address: string): string =>
  `${messageId}@${address.slice(address.lastIndexOf('@') + 1)}`;

/** Pure: returns the properties with which the message is made on the server (RFC 8621, section 4.6), in one box. */
export function emailDraft(
  message: MailMessage,
  files: readonly UploadedFile[],
  { box, messageId }: { box: string; messageId: string },
): Record<string, unknown> {
  const isNote = message.from.address === operator.address;
  const notice = notifyHeader(message);
  // A message from outside may have no Message-ID.
  const references = shortThread(message.references.filter((name) => name !== ''));
  return {
    mailboxIds: { [box]: true },
    keywords: isNote ? { [operatorNote]: true } : { [draft]: true, [seen]: true },
    from: addresses([message.from]),
    to: addresses(message.to),
    subject: message.subject,
    ...(message.cc.length > 0 && { cc: addresses(message.cc) }),
    ...(message.replyTo.length > 0 && { replyTo: addresses(message.replyTo) }),
    messageId: [messageId],
    sentAt: message.createdAtUtc,
    ...(message.inReplyTo && { inReplyTo: [message.inReplyTo] }),
    ...(references.length > 0 && { references }),
    ...(notice !== null && { 'header:X-Houmao-Notify:asText': notice }),
    ...(isNote && { 'header:X-Houmao-Reply-Policy:asText': 'none' }),
    textBody: [{ partId: 'text', type: 'text/plain' }],
    // A text in a mail ends with the end of a line, which a reader of ours removes.
    bodyValues: { text: { value: `${message.body}\n` } },
    ...(files.length > 0 && {
      attachments: files.map(({ blobId, mediaType, size, name }) => ({
        blobId,
        type: mediaType,
        size,
        name,
        disposition: 'attachment',
      })),
    }),
  };
}

const addresses = (principals: readonly Principal[]): object[] =>
  principals.map(({ address, displayName }) => ({
    email: address,
    ...(displayName !== null && { name: displayName }),
  }));

/** Pure: returns the recipients that the server delivers to, each once. The headers of the message only name them. */
export const envelopeOf = (message: MailMessage): object => ({
  mailFrom: { email: message.from.address },
  rcptTo: recipientsOf(message).map(({ address }) => ({ email: address })),
});
