import type { Draft } from '../message/compose.js';
import { attachmentIdOf } from '../message/message-id.js';
import { attachFile } from './attach-file.js';
import type { MessageStamp, OutgoingMail } from './mail-transport.js';

/** What a message is composed of, its files looked at. @throws {MailRefusal} @throws {MailFault} `attachment_unusable` */
export async function outgoingDraft(
  { attachments, ...mail }: OutgoingMail,
  { messageId }: Pick<MessageStamp, 'messageId'>,
): Promise<Draft> {
  const attached = [];
  for (const [index, file] of attachments.entries())
    attached.push(await attachFile(file, attachmentIdOf(messageId, index), `attachments[${index}]`));
  const { body, notifyBlock, notifyAuth } = mail;
  return { body, notifyBlock, notifyAuth, attachments: attached };
}
