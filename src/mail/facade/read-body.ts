import { instantOf } from '../../foundation/iso-instant.js';
import { MailRefusal } from '../message/mail-refusal.js';
import { notifyAuth } from '../message/notify-auth.js';
import { notifyBlock } from '../message/notify-block.js';
import { strip } from '../message/python-text.js';
import type { MailQuery, MarkChanges, OutgoingMail } from '../transport/mail-transport.js';
import type { AnyOutgoingBody, ListBody, MarkBody, NotifyAuthBody } from './mail-bodies.js';

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
  ...{ scheme: auth.scheme ?? 'none', token: auth.token ?? null, iss: auth.iss ?? null },
  ...{ iat: auth.iat ?? null, exp: auth.exp ?? null },
});

/** Null and left out are the same: nothing is set. */
export const markChanges = ({ read, answered, archived }: MarkBody): MarkChanges => ({
  ...(read != null && { read }),
  ...(answered != null && { answered }),
  ...(archived != null && { archived }),
});

/**
 * Pure: the messages that a call names, without the blanks around them.
 * @throws {MailRefusal} where one is named twice: the contract compares them with their blanks.
 */
export function messageRefs({ message_refs: given }: Pick<MarkBody, 'message_refs'>): string[] {
  const refs = given.map(strip);
  const again = refs.findIndex((ref, index) => refs.indexOf(ref) < index);
  if (again === -1) return refs;
  const first = refs.indexOf(refs[again]!);
  throw new MailRefusal(`message_refs[${again}]`, `names the message of message_refs[${first}] once more`);
}
