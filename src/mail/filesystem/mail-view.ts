import { bodyPreview } from '../message/body-preview.js';
import type { Attachment, Principal } from '../message/mail-message.js';
import { toMailRef } from '../message/message-id.js';
import type { MailAttachment, MailParticipant, MailView } from '../transport/mail-transport.js';
import type { MailItem } from './mailbox/find-mail.js';

/** A message of this transport as all transports show theirs. */
export function mailView({ message, state }: MailItem): MailView {
  return {
    ...{ ref: toMailRef(message.messageId), threadRef: toMailRef(message.threadId) },
    ...{ createdAtUtc: message.createdAtUtc, subject: message.subject },
    ...{ read: state.is_read === 1, answered: state.is_answered === 1, archived: state.is_archived === 1 },
    ...{ box: state.box_name, body: message.body, preview: bodyPreview(message.body) },
    ...{ sender: participant(message.from), to: message.to.map(participant) },
    ...{ cc: message.cc.map(participant), replyTo: message.replyTo.map(participant) },
    ...{ attachments: message.attachments.map(attachment) },
    ...{ notifyBlock: message.notifyBlock, notifyAuth: message.notifyAuth },
  };
}

const participant = ({ address, displayName, principalId }: Principal): MailParticipant => ({
  address,
  displayName,
  principalId,
});

const attachment = ({ path, ...rest }: Attachment): MailAttachment => ({ ...rest, locator: path });
