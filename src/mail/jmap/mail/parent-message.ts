import type { ParentMessage } from '../../message/compose.js';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, plainPrincipal } from '../../message/mail-message.js';
import { checkMayReply } from '../../message/operator-message.js';
import type { JmapClient } from '../client/jmap-client.js';
import type { MethodCall } from '../client/method-calls.js';
import type { MailRefs } from './email-ref.js';
import { type Email, EmailsSchema, emailProperties } from './email-schema.js';
import { checkedEmail } from './email-view.js';
import { hasKeyword, operatorNote } from './keywords.js';
import { usableNames } from './thread-names.js';
import { isWorldAddress } from './world-address.js';

/** What an answer to a message follows from. @throws {MailFault} `no_replies` where none is wanted, or none can be sent. */
export async function parentMessage(client: JmapClient, refs: MailRefs, id: string): Promise<ParentMessage> {
  const get: MethodCall = ['Email/get', { ids: [id], properties: emailProperties }, 'get'];
  const [value] = (await client.call('look', [get])).of(get, EmailsSchema).list;
  if (!value) throw refs.unknown(id);
  const email = checkedEmail(value, refs);
  if (hasKeyword(email.keywords, operatorNote)) {
    const policy = email['header:X-Houmao-Reply-Policy:asText'] ?? 'none';
    checkMayReply({ headers: { 'x-houmao-origin': 'operator', 'x-houmao-reply-policy': policy } });
  }
  const replyTo = people(email.replyTo);
  const from = people(email.from?.slice(0, 1))[0] ?? replyTo[0];
  if (from === undefined) throw new MailFault('no_replies', 'the message does not say who sent it');
  return {
    ...{ messageId: usableNames(email.messageId).at(-1) ?? '', threadId: email.threadId ?? '' },
    ...{ references: usableNames(email.references), from, replyTo, subject: email.subject ?? '' },
  };
}

const people = (addresses: Email['from']): Principal[] =>
  (addresses ?? []).flatMap(({ email: address }) =>
    address && isWorldAddress(address) ? [plainPrincipal(address, address)] : [],
  );
