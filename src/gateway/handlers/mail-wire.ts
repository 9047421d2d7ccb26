import type { components } from '../../../generated/gateway/types.js';
import { notifyAuth } from '../../mail/message/notify-auth.js';
import { notifyBlock } from '../../mail/message/notify-block.js';
import type {
  MailAttachment,
  MailPage,
  MailParticipant,
  MailQuery,
  MailView,
  MarkChanges,
  OutgoingMail,
} from '../../mail/transport/mail-transport.js';
import type { MailBinding } from '../mail/session-mailbox.js';
import { instantOf } from './reminder-wire.js';

type Schemas = components['schemas'];
type Outgoing = Schemas['MailPostRequest'] | Schemas['MailSendRequest'] | Schemas['MailReplyRequest'];

/** What each answer begins with. */
export const mailHead = ({ transport, principal_id, address }: MailBinding) =>
  ({ schema_version: 1, transport, principal_id, address }) as const;

export function mailMessage(view: MailView): Schemas['MailMessage'] {
  const { read, answered, archived, box } = view;
  return {
    ...{ message_ref: view.ref, thread_ref: view.threadRef, created_at_utc: view.createdAtUtc },
    ...{ subject: view.subject, read, answered, archived, box, unread: read === null ? null : !read },
    ...{ body_preview: view.preview, body_text: view.body, sender: participant(view.sender) },
    ...{
      to: view.to.map(participant),
      cc: view.cc.map(participant),
      reply_to: view.replyTo.map(participant),
    },
    ...{ attachments: view.attachments.map(attachment) },
    ...{ notify_block: view.notifyBlock, notify_auth: view.notifyAuth },
  };
}

const participant = ({ address, displayName, principalId }: MailParticipant): Schemas['MailParticipant'] => ({
  ...{ address, display_name: displayName, principal_id: principalId },
});

const attachment = (file: MailAttachment): Schemas['MailAttachment'] => ({
  ...{ attachment_id: file.attachmentId, kind: file.kind, media_type: file.mediaType },
  ...{ locator: file.locator, size_bytes: file.sizeBytes, sha256: file.sha256, label: file.label },
});

/** The counts are those of the messages in the answer. */
export function mailList(
  { messages, damaged }: MailPage,
  { box, includeBody }: { box: string; includeBody: boolean },
): Pick<
  Schemas['MailList'],
  'box' | 'message_count' | 'open_count' | 'unread_count' | 'messages' | 'damaged'
> {
  const shown = messages.map((view) => mailMessage(includeBody ? view : { ...view, body: null }));
  return {
    ...{ box, message_count: shown.length, messages: shown },
    open_count: shown.filter(({ archived }) => archived !== true).length,
    unread_count: shown.filter(({ unread }) => unread === true).length,
    ...(damaged.length > 0 && {
      damaged: damaged.map(({ ref, detail }) => ({ message_ref: ref, detail })),
    }),
  };
}

const wanted = (state: string | undefined, yes: string): boolean | null =>
  state === undefined || state === 'any' ? null : state === yes;

export const mailQuery = (body: Schemas['MailListRequest']): MailQuery => ({
  box: (body.box ?? 'inbox').trim(),
  read: wanted(body.read_state, 'read'),
  answered: wanted(body.answered_state, 'answered'),
  archived: body.archived ?? null,
  limit: body.limit ?? null,
  since: body.since == null ? null : instantOf(body.since.trim()),
});

/** @throws {MailRefusal} */
export function outgoingMail(body: Outgoing): OutgoingMail {
  const { notify_block: block, notify_auth: auth } = body;
  return {
    body: body.body_content,
    attachments: (body.attachments ?? []).map(({ path, label }) => ({ path, label: label ?? null })),
    notifyBlock: block == null ? null : notifyBlock(block.text, block.placement ?? 'append'),
    notifyAuth: auth == null ? null : notifyAuth(authInput(auth)),
  };
}

const authInput = (auth: Schemas['NotifyAuthInput']) => ({
  ...{ scheme: auth.scheme ?? 'none', token: auth.token ?? null, iss: auth.iss ?? null },
  ...{ iat: auth.iat ?? null, exp: auth.exp ?? null },
});

/** Null and left out are the same: nothing is set. */
export const markChanges = ({ read, answered, archived }: Schemas['MailMarkRequest']): MarkChanges => ({
  ...(read != null && { read }),
  ...(answered != null && { answered }),
  ...(archived != null && { archived }),
});
