import { composeRoot, type MessageDraft } from './compose.js';
import { MailFault } from './mail-fault.js';
import type { MailMessage, Principal } from './mail-message.js';
import { strip } from './mail-text.js';

export type ReplyPolicy = 'none' | 'operator_mailbox';

const originHeader = 'x-houmao-origin';
const policyHeader = 'x-houmao-reply-policy';

/** The operator, whose account every root has. */
export const operator: Principal = {
  principalId: 'HOUMAO-operator',
  address: 'HOUMAO-operator@houmao.localhost',
  displayName: 'Houmao Operator',
  manifestPathHint: null,
  role: 'system_operator',
};

/** Composes a message from the operator, the person who runs the agents. @throws {MailRefusal} */
export const composeOperatorMessage = (
  { subject, replyPolicy, ...draft }: MessageDraft & { subject: string; replyPolicy: ReplyPolicy },
  target: Principal,
  now: Date,
  messageId?: string,
): MailMessage =>
  composeRoot(
    {
      ...draft,
      subject,
      from: operator,
      to: [target],
      cc: [],
      replyTo: replyPolicy === 'operator_mailbox' ? [operator] : [],
      headers: { [originHeader]: 'operator', [policyHeader]: replyPolicy },
    },
    now,
    messageId,
  );

/**
 * Returns the policy for replies; null for a message that is not the operator's. Anything but the name of the other policy
 * means that no reply is wanted.
 */
export function replyPolicyOf({ headers }: Pick<MailMessage, 'headers'>): ReplyPolicy | null {
  if (plain(headers[originHeader]) !== 'operator') return null;
  return plain(headers[policyHeader]) === 'operator_mailbox' ? 'operator_mailbox' : 'none';
}

/** @throws {MailFault} `no_replies` when the operator wants no reply. */
export function checkMayReply(parent: Pick<MailMessage, 'headers'>): void {
  if (replyPolicyOf(parent) === 'none')
    throw new MailFault('no_replies', 'this is an operator-origin message that takes no replies');
}

const plain = (value: unknown): string | null =>
  typeof value === 'string' ? strip(value).toLowerCase() : null;
