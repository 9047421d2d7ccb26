import type { Schemas } from '@houmao/sdk';
import {
  attachmentsOf,
  type BodyFlags,
  bodyOf,
  type CheckFlags,
  flagOf,
  type MailListFlags,
  type MarkFlags,
  type NoticeFlags,
  type OneFlags,
} from '../../flags/mail-options.js';
import { type NotifierFlags, toNotifierUpdate } from '../../flags/notifier-options.js';
import { CommandFailure, exitCodes, type Remedy } from '../../words/command-failure.js';
import type { TimeWords } from '../../words/local-time.js';
import {
  attachedLines,
  listLines,
  messageLines,
  messageTable,
  notifierLines,
  statusLines,
} from '../../words/mail-words.js';
import { interruptible } from '../../words/terminal-output.js';
import type { AgentMail } from './agent-mail.js';
import type { MailCommandCall, MailWay } from './mail-way.js';

/** Does one operation and prints its answer, with fields that say how far it is verified. */
async function show<Answer extends object>(
  { way, output }: MailCommandCall,
  operation: string,
  work: (mail: AgentMail) => Promise<Answer>,
  lines: (answer: Answer, time: TimeWords, path: AgentMail['path']) => string[],
  refs: readonly string[] = [],
): Promise<void> {
  const shown = way.withMail(async (mail) => {
    const answer = await work(mail);
    const vouched = { operation, authoritative: true, status: 'verified', execution_path: mail.path };
    output.result({ ...answer, ...vouched }, lines(answer, output.time, mail.path));
  });
  await shown.catch((error: unknown) => {
    if (!(error instanceof CommandFailure)) throw error;
    throw error.exitCode === exitCodes.outcomeUnknown ? withLook(error, way) : withList(error, refs, way);
  });
}

/** Adds the command that lists messages to the failure of a message that does not exist. */
function withList(
  failure: CommandFailure,
  refs: readonly string[],
  { asked, server }: MailWay,
): CommandFailure {
  const { detail, exitCode, ...fields } = failure;
  // A refusal names the message by its id, which is the end of its reference.
  const isMissing =
    exitCode === exitCodes.usage && refs.some((ref) => detail.includes(ref.trim().replace(/^[a-z]+:/, '')));
  if (!isMissing) return failure;
  const list: Remedy = ['list them', `houmao-mgr agents mail list ${asked}${server}`];
  return new CommandFailure(`${detail.replace(/\.$/, '')}.`, exitCode, { ...fields, remedies: [list] });
}

/** Adds the command that shows whether the operation was done. */
function withLook(failure: CommandFailure, { asked, server }: MailWay): CommandFailure {
  const { detail, exitCode, ...fields } = failure;
  const box = fields.idempotencyKey === null ? '' : ' --box sent';
  const look: Remedy = ['look', `houmao-mgr agents mail list ${asked}${box}${server}`];
  return new CommandFailure(detail, exitCode, { ...fields, remedies: [look] });
}

const oneMessage = ({ message }: { message: Schemas['MailMessage'] }, time: TimeWords): string[] =>
  messageLines(message, time);
const manyMessages = ({ messages }: { messages: Schemas['MailMessage'][] }, time: TimeWords): string[] =>
  messageTable(messages, time);

/** `mail status`. */
export const mailStatus = (call: MailCommandCall): Promise<void> =>
  show(
    call,
    'status',
    (mail) => mail.status(),
    (answer, _time, path) => statusLines(answer, path),
  );

/** `mail list`. */
export const listMail = (call: MailCommandCall, flags: MailListFlags): Promise<void> =>
  show(
    call,
    'list',
    (mail) =>
      mail.list({
        ...(flags.box !== undefined && { box: flags.box }),
        ...(flags.readState !== undefined && { read_state: flags.readState }),
        ...(flags.answeredState !== undefined && { answered_state: flags.answeredState }),
        archived: flagOf(flags.archived, flags.notArchived) ?? null,
        limit: flags.limit ?? null,
        since: flags.since ?? null,
        include_body: flags.includeBody ?? false,
      }),
    listLines,
  );

/** `mail check`: lists the open messages of the inbox. */
export const checkMail = (
  call: MailCommandCall,
  { unreadOnly = false, limit, since }: CheckFlags,
): Promise<void> =>
  show(
    call,
    'check',
    async (mail) => ({
      ...(await mail.list({
        box: 'inbox',
        archived: false,
        read_state: unreadOnly ? 'unread' : 'any',
        limit: limit ?? null,
        since: since ?? null,
      })),
      unread_only: unreadOnly,
    }),
    listLines,
  );

/** `mail peek`. */
export const peekMail = (call: MailCommandCall, { messageRef, box }: OneFlags): Promise<void> =>
  show(call, 'peek', (mail) => mail.peek({ message_ref: messageRef, box: box ?? null }), oneMessage, [
    messageRef,
  ]);

/** `mail read`. */
export const readMail = (call: MailCommandCall, { messageRef, box }: OneFlags): Promise<void> =>
  show(call, 'read', (mail) => mail.read({ message_ref: messageRef, box: box ?? null }), oneMessage, [
    messageRef,
  ]);

/** `mail attachment`: makes it a file of this machine. */
export const fetchAttachment = (
  call: MailCommandCall,
  { messageRef, attachmentId }: { messageRef: string; attachmentId: string },
): Promise<void> =>
  show(
    call,
    'attachment',
    (mail) => mail.attachment({ message_ref: messageRef, attachment_id: attachmentId }),
    attachedLines,
    [messageRef],
  );

/** `mail send`. */
export const sendMail = (
  call: MailCommandCall,
  flags: BodyFlags & NoticeFlags & { to: string[]; cc?: string[]; subject: string },
): Promise<void> =>
  show(
    call,
    'send',
    async (mail) => {
      const recipients = { to: flags.to, cc: flags.cc ?? [] };
      const body = { ...recipients, subject: flags.subject, ...(await outgoing(call, flags)) };
      return finished(call, () => mail.send(body, flags.idempotencyKey ?? null));
    },
    oneMessage,
  );

/** `mail post`: sends a note of the operator. */
export const postMail = (
  call: MailCommandCall,
  flags: BodyFlags & NoticeFlags & { subject: string; replyPolicy: 'none' | 'operator_mailbox' },
): Promise<void> =>
  show(
    call,
    'post',
    async (mail) => {
      const { subject, replyPolicy: reply_policy } = flags;
      const body = { subject, reply_policy, ...(await outgoing(call, flags)) };
      return finished(call, () => mail.post(body, flags.idempotencyKey ?? null));
    },
    oneMessage,
  );

/** `mail reply`. */
export const replyMail = (call: MailCommandCall, flags: BodyFlags & { messageRef: string }): Promise<void> =>
  show(
    call,
    'reply',
    async (mail) => {
      const body = { message_ref: flags.messageRef, ...(await outgoing(call, flags)) };
      return finished(call, () => mail.reply(body, flags.idempotencyKey ?? null));
    },
    oneMessage,
    [flags.messageRef],
  );

/** Finishes a delivery that has begun: the first Ctrl-C only says so; after a second one the outcome is unknown. */
const finished = <T>({ output }: MailCommandCall, deliver: () => Promise<T>): Promise<T> =>
  interruptible((signal) => {
    const say = () =>
      output.progress(
        'The message is being delivered. Press Ctrl-C again to quit at once; `mail list --box sent` then shows whether it was sent.',
      );
    signal.addEventListener('abort', say, { once: true });
    return deliver();
  });

async function outgoing({ way }: MailCommandCall, flags: BodyFlags & NoticeFlags) {
  const { notifyBlock: text, notifyBlockPlacement: placement } = flags;
  if (text === undefined && placement !== undefined)
    throw new CommandFailure('--notify-block-placement needs --notify-block.', exitCodes.usage);
  const attachments = attachmentsOf(flags, way.here);
  return {
    body_content: await bodyOf(flags),
    attachments,
    ...(text !== undefined && { notify_block: { text, placement: placement ?? 'append' } }),
  };
}

/** Returns each reference once, since the same message twice is one message. */
const refsOf = (given: readonly string[]): string[] => [...new Set(given.map((ref) => ref.trim()))];

/** `mail mark`. */
export function markMail(call: MailCommandCall, flags: MarkFlags): Promise<void> {
  const changes = {
    read: flagOf(flags.read, flags.unread),
    answered: flagOf(flags.answered, flags.unanswered),
    archived: flagOf(flags.archived, flags.unarchived),
  };
  const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  if (Object.keys(set).length === 0)
    throw new CommandFailure(
      'Nothing to mark: give --read or --unread, --answered or --unanswered, --archived or --unarchived.',
      exitCodes.usage,
    );
  const body = { message_refs: refsOf(flags.messageRef), ...set };
  return show(call, 'mark', (mail) => mail.mark(body), manyMessages, flags.messageRef);
}

/** `mail mark-read`. */
export const markMailRead = (call: MailCommandCall, flags: { messageRef: string[] }): Promise<void> =>
  show(
    call,
    'mark-read',
    (mail) => mail.mark({ message_refs: refsOf(flags.messageRef), read: true }),
    manyMessages,
    flags.messageRef,
  );

/** `mail move`. */
export const moveMail = (
  call: MailCommandCall,
  flags: { messageRef: string[]; destinationBox: string },
): Promise<void> =>
  show(
    call,
    'move',
    (mail) => mail.move({ message_refs: refsOf(flags.messageRef), destination_box: flags.destinationBox }),
    manyMessages,
    flags.messageRef,
  );

/** `mail archive`. */
export const archiveMail = (call: MailCommandCall, flags: { messageRef: string[] }): Promise<void> =>
  show(
    call,
    'archive',
    (mail) => mail.archive({ message_refs: refsOf(flags.messageRef) }),
    manyMessages,
    flags.messageRef,
  );

/** `mail-notifier status`. */
export async function notifierStatus(call: MailCommandCall): Promise<void> {
  showNotifier(call, await call.way.withNotifier((notifier) => notifier.getMailNotifier()));
}

/** `mail-notifier enable`: also changes a notifier that is already on. */
export async function enableNotifier(call: MailCommandCall, flags: NotifierFlags): Promise<void> {
  const body = toNotifierUpdate(flags);
  showNotifier(call, await call.way.withNotifier((notifier) => notifier.updateMailNotifier({ body })));
}

/** `mail-notifier disable`. */
export async function disableNotifier(call: MailCommandCall): Promise<void> {
  showNotifier(call, await call.way.withNotifier((notifier) => notifier.disableMailNotifier()));
}

const showNotifier = ({ way, output }: MailCommandCall, status: Schemas['NotifierStatus']): void =>
  output.result(status, notifierLines(status, way.name, output.time));
