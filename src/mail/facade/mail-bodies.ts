import { instantOf } from '../../foundation/clock.js';
import { MailRefusal } from '../message/mail-fault.js';
import { strip } from '../message/mail-text.js';
import { notifyAuth, notifyBlock } from '../message/notice.js';
import type { MailQuery, MarkChanges, OutgoingMail } from '../transport/mail-transport.js';

// The bodies that callers of the facade send, in the form of the contract: src/gateway/ and the callers of the SDK have the same
// shapes, and the compiler compares them.

export interface ListBody {
  box?: string;
  read_state?: 'any' | 'read' | 'unread';
  answered_state?: 'any' | 'answered' | 'unanswered';
  archived?: boolean | null;
  limit?: number | null;
  /** An ISO 8601 date, or date and time. */
  since?: string | null;
  include_body?: boolean;
}

export interface OneBody {
  message_ref: string;
  box?: string | null;
}

export interface AttachmentBody {
  message_ref: string;
  attachment_id: string;
}

interface OutgoingBody {
  body_content: string;
  attachments?: { path: string; label?: string | null }[];
  notify_block?: { text: string; placement?: 'append' | 'prepend' } | null;
  notify_auth?: NotifyAuthBody | null;
}

export interface NotifyAuthBody {
  scheme?: 'none' | 'shared-token' | 'hmac-sha256' | 'jws';
  token?: string | null;
  iss?: string | null;
  iat?: string | null;
  exp?: string | null;
}

export interface SendBody extends OutgoingBody {
  to: string[];
  cc?: string[];
  subject: string;
}

export interface PostBody extends OutgoingBody {
  subject: string;
  reply_policy?: 'none' | 'operator_mailbox';
}

export interface ReplyBody extends OutgoingBody {
  message_ref: string;
}

export interface MarkBody {
  message_refs: string[];
  read?: boolean | null;
  answered?: boolean | null;
  archived?: boolean | null;
}

export interface MoveBody {
  message_refs: string[];
  destination_box: string;
}

export interface ArchiveBody {
  message_refs: string[];
}

export type AnyOutgoingBody = SendBody | PostBody | ReplyBody;

const wanted = (state: string | undefined, yes: string): boolean | null =>
  state === undefined || state === 'any' ? null : state === yes;

export const mailQuery = (body: ListBody): MailQuery => ({
  box: (body.box ?? 'inbox').trim(),
  read: wanted(body.read_state, 'read'),
  answered: wanted(body.answered_state, 'answered'),
  archived: body.archived ?? null,
  limit: body.limit ?? null,
  since: body.since == null ? null : instantOf(body.since.trim()),
  bodies: body.include_body ?? false,
});

/** @throws {MailRefusal} */
export function outgoingMail(body: AnyOutgoingBody): OutgoingMail {
  const { notify_block: block, notify_auth: auth } = body;
  return {
    body: body.body_content,
    attachments: (body.attachments ?? []).map(({ path, label }) => ({ path, label: label ?? null })),
    notifyBlock: block == null ? null : notifyBlock(block.text, block.placement ?? 'append'),
    notifyAuth: auth == null ? null : notifyAuth(authInput(auth)),
  };
}

const authInput = (auth: NotifyAuthBody) => ({
  scheme: auth.scheme ?? 'none',
  token: auth.token ?? null,
  iss: auth.iss ?? null,
  iat: auth.iat ?? null,
  exp: auth.exp ?? null,
});

/** Null and a missing field mean the same: the mark stays as it is. */
export const markChanges = ({ read, answered, archived }: MarkBody): MarkChanges => ({
  ...(read != null && { read }),
  ...(answered != null && { answered }),
  ...(archived != null && { archived }),
});

/**
 * Pure: returns the messages that a call names, without the blanks around them.
 * @throws {MailRefusal} where one is named twice: the contract compares them including their blanks.
 */
export function messageRefs({ message_refs: given }: Pick<MarkBody, 'message_refs'>): string[] {
  const refs = given.map(strip);
  const again = refs.findIndex((ref, index) => refs.indexOf(ref) < index);
  if (again === -1) return refs;
  const first = refs.indexOf(refs[again]!);
  throw new MailRefusal(`message_refs[${again}]`, `names the message of message_refs[${first}] once more`);
}
