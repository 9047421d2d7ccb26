import { MailRefusal } from './mail-fault.js';
import type { Attachment, MailMessage, NotifyAuth, NotifyBlock, Principal } from './mail-message.js';
import { isBlank, isWellFormed, strip, withLineFeeds } from './mail-text.js';
import { newMessageId, toMailStamp } from './message-id.js';
import { withNotice } from './notice.js';

/** The content of a message that its author supplies. */
export interface MessageDraft {
  body: string;
  attachments: Attachment[];
  /** An explicit notice; null where the body's fence is the notice. */
  notifyBlock: NotifyBlock | null;
  notifyAuth: NotifyAuth | null;
}

export interface RootDraft extends MessageDraft {
  from: Principal;
  to: Principal[];
  cc: Principal[];
  replyTo: Principal[];
  subject: string;
  headers: MailMessage['headers'];
}

/** Characters that a line of a prompt or a terminal cannot hold: they would act as a key, or begin another line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const notOneLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const notOneLineAll = new RegExp(notOneLine, 'g');

/** Trims and checks a text that is shown on one line. @throws {MailRefusal} */
export function oneLine(text: string, field: string): string {
  if (isBlank(text)) throw new MailRefusal(field, 'must not be blank');
  if (!isWellFormed(text)) throw new MailRefusal(field, 'must be well-formed Unicode');
  const line = strip(text);
  if (notOneLine.test(line))
    throw new MailRefusal(field, 'must not contain control characters or line breaks');
  return line;
}

/**
 * Composes a message that begins a thread.
 * @param messageId by {@link newMessageId}, of the same moment.
 * @throws {MailRefusal}
 */
export function composeRoot(draft: RootDraft, now: Date, messageId = newMessageId(now)): MailMessage {
  return {
    messageId,
    threadId: messageId,
    inReplyTo: null,
    references: [],
    from: draft.from,
    ...withoutRepeats(draft.to, draft.cc),
    replyTo: draft.replyTo,
    createdAtUtc: toMailStamp(now),
    subject: oneLine(draft.subject, 'subject'),
    headers: draft.headers,
    ...contentOf(draft),
  };
}

/** The parts of a message that a reply depends on. */
export type ParentMessage = Pick<
  MailMessage,
  'messageId' | 'threadId' | 'references' | 'from' | 'replyTo' | 'subject'
>;

/**
 * Composes a reply: to the addresses that the parent names for replies, or to its sender; never to its other recipients.
 * @throws {MailRefusal}
 */
export function composeReply(
  parent: ParentMessage,
  from: Principal,
  draft: MessageDraft,
  now: Date,
  messageId = newMessageId(now),
): MailMessage {
  return {
    messageId,
    threadId: parent.threadId,
    inReplyTo: parent.messageId,
    references: [...parent.references, parent.messageId],
    createdAtUtc: toMailStamp(now),
    from,
    ...withoutRepeats(parent.replyTo.length > 0 ? parent.replyTo : [parent.from], []),
    replyTo: [],
    subject: replySubject(parent.subject),
    headers: {},
    ...contentOf(draft),
  };
}

/** Pure: puts a text from elsewhere on one line; characters that cannot stand there become blanks. */
export const onOneLine = (text: string): string => strip(text.replace(notOneLineAll, ' '));

export function replySubject(parent: string): string {
  const subject = onOneLine(parent);
  return /^re:/i.test(subject) ? subject : strip(`Re: ${subject}`);
}

function contentOf(
  draft: MessageDraft,
): Pick<MailMessage, 'body' | 'attachments' | 'notifyBlock' | 'notifyAuth'> {
  const { body, block } = withNotice(withLineFeeds(draft.body), draft.notifyBlock);
  return { body, attachments: draft.attachments, notifyBlock: block, notifyAuth: draft.notifyAuth };
}

/**
 * Keeps each address once over `to` and `cc`, where it comes first: the older implementation loses its index when it repairs a
 * root with a message that names an address twice.
 */
function withoutRepeats(to: Principal[], cc: Principal[]): Pick<MailMessage, 'to' | 'cc'> {
  if (to.length === 0) throw new MailRefusal('to', 'must have a recipient');
  const owners = new Map<string, string>();
  const isNew = (kind: string) => (each: Principal, index: number) => {
    const owner = owners.get(each.address);
    if (owner !== undefined && owner !== each.principalId)
      throw new MailRefusal(`${kind}[${index}]`, `${each.address} is named with two owners`);
    owners.set(each.address, each.principalId);
    return owner === undefined;
  };
  return { to: to.filter(isNew('to')), cc: cc.filter(isNew('cc')) };
}
