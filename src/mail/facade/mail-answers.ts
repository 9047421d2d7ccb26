import type { NotifyBlock } from '../message/mail-message.js';
import type { NotifyAuthInput } from '../message/notice.js';
import type { MailAttachment, MailPage, MailParticipant, MailView } from '../transport/mail-transport.js';

// The answers of the facade, in the form of the contract. The compiler compares the two in src/gateway/.

/** The mailbox and its owner, as a session's manifest names them. */
export interface MailboxIdentity {
  transport: 'filesystem' | 'stalwart';
  principal_id: string;
  address: string;
  bindings_version: string;
}

/** The first fields of each answer. */
export interface MailHead {
  schema_version: 1;
  transport: 'filesystem' | 'stalwart';
  principal_id: string;
  address: string;
}

export interface ParticipantAnswer {
  address: string;
  display_name: string | null;
  principal_id: string | null;
}

export interface AttachmentAnswer {
  attachment_id: string;
  kind: MailAttachment['kind'];
  media_type: string;
  locator: string | null;
  size_bytes: number | null;
  sha256: string | null;
  label: string | null;
}

export interface MessageAnswer {
  message_ref: string;
  thread_ref: string | null;
  created_at_utc: string;
  subject: string;
  read: boolean | null;
  answered: boolean | null;
  archived: boolean | null;
  box: string | null;
  unread: boolean | null;
  body_preview: string | null;
  body_text: string | null;
  sender: ParticipantAnswer;
  to: ParticipantAnswer[];
  cc: ParticipantAnswer[];
  reply_to: ParticipantAnswer[];
  attachments: AttachmentAnswer[];
  notify_block: NotifyBlock | null;
  /** May have a scheme of a later version. */
  notify_auth: NotifyAuthInput | null;
}

export interface StatusAnswer extends MailHead {
  bindings_version: string;
}

export interface ListAnswer extends MailHead {
  box: string;
  /** The counts are those of the messages in the answer. */
  message_count: number;
  open_count: number;
  unread_count: number;
  messages: MessageAnswer[];
  damaged?: { message_ref: string; detail: string }[];
}

export interface OneAnswer<Operation extends string = string> extends MailHead {
  operation: Operation;
  message: MessageAnswer;
}

export interface ManyAnswer<Operation extends string = string> extends MailHead {
  operation: Operation;
  message_count: number;
  messages: MessageAnswer[];
}

export interface AttachedAnswer extends MailHead {
  operation: 'attachment';
  message_ref: string;
  attachment: AttachmentAnswer;
  path: string;
  size_bytes: number;
  sha256: string;
  unchanged: boolean | null;
}

export const mailHead = ({ transport, principal_id, address }: MailboxIdentity): MailHead => ({
  schema_version: 1,
  transport,
  principal_id,
  address,
});

export function messageAnswer(view: MailView): MessageAnswer {
  const { read, answered, archived, box } = view;
  return {
    message_ref: view.ref,
    thread_ref: view.threadRef,
    created_at_utc: view.createdAtUtc,
    subject: view.subject,
    read,
    answered,
    archived,
    box,
    unread: read === null ? null : !read,
    body_preview: view.preview,
    body_text: view.body,
    sender: participant(view.sender),
    to: view.to.map(participant),
    cc: view.cc.map(participant),
    reply_to: view.replyTo.map(participant),
    attachments: view.attachments.map(attachmentAnswer),
    notify_block: view.notifyBlock,
    notify_auth: view.notifyAuth,
  };
}

const participant = ({ address, displayName, principalId }: MailParticipant): ParticipantAnswer => ({
  address,
  display_name: displayName,
  principal_id: principalId,
});

export const attachmentAnswer = (file: MailAttachment): AttachmentAnswer => ({
  attachment_id: file.attachmentId,
  kind: file.kind,
  media_type: file.mediaType,
  locator: file.locator,
  size_bytes: file.sizeBytes,
  sha256: file.sha256,
  label: file.label,
});

export function listAnswer(head: MailHead, { messages, damaged }: MailPage, box: string): ListAnswer {
  const shown = messages.map(messageAnswer);
  return {
    ...head,
    box,
    message_count: shown.length,
    open_count: shown.filter(({ archived }) => archived !== true).length,
    unread_count: shown.filter(({ unread }) => unread === true).length,
    messages: shown,
    ...(damaged.length > 0 && {
      damaged: damaged.map(({ ref, detail }) => ({ message_ref: ref, detail })),
    }),
  };
}
