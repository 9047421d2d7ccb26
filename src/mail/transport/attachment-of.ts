import { MailFault } from '../message/mail-fault.js';
import type { MailAttachment, MailView } from './mail-transport.js';

/** Pure: the attachment of a message by its id. @throws {MailFault} `attachment_unknown` */
export function attachmentOf({ ref, attachments }: MailView, attachmentId: string): MailAttachment {
  const id = attachmentId.trim();
  const found = attachments.find((attachment) => attachment.attachmentId === id);
  if (found) return found;
  const ids = attachments.map((attachment) => attachment.attachmentId).join(', ');
  const has = ids === '' ? 'no attachment' : `no attachment ${id}; it has ${ids}`;
  throw new MailFault('attachment_unknown', `${ref} has ${has}`);
}
