import { MailFault, MailRefusal } from '../message/mail-fault.js';
import type { NotifyAuth, NotifyBlock } from '../message/mail-message.js';
import { parseBoxName } from '../message/names.js';
import type { ReplyPolicy } from '../message/operator-message.js';

// What every place that keeps mail can do, as the facade needs it (docs/decisions.md#mail-transports). Texts come as their
// caller gave them; a transport trims and checks them. Every method throws
//   {MailRefusal} for input that nothing could be done with: nothing was changed;
//   {MailFault} for what the mailbox cannot do as it is now: nothing was changed either. With the code `state_late` it is done,
//     and could not be noted or shown everywhere; `deliveredRef` names the message that was delivered. With `outcome_unknown` it may
//     be done: an answer was lost.

/** Null is what a transport does not know. */
export interface MailParticipant {
  address: string;
  displayName: string | null;
  principalId: string | null;
}

export interface MailAttachment {
  attachmentId: string;
  kind: 'path_ref' | 'managed_copy' | 'transport_owned';
  mediaType: string;
  /** An absolute path, or `blob:<id>`. */
  locator: string | null;
  sizeBytes: number | null;
  sha256: string | null;
  label: string | null;
}

/** A message as one mailbox sees it. */
export interface MailView {
  /** Opaque, as are all references. */
  ref: string;
  threadRef: string | null;
  createdAtUtc: string;
  subject: string;
  read: boolean | null;
  answered: boolean | null;
  archived: boolean | null;
  box: string | null;
  body: string | null;
  /** The beginning of the body, on one line. */
  preview: string | null;
  sender: MailParticipant;
  to: MailParticipant[];
  cc: MailParticipant[];
  replyTo: MailParticipant[];
  attachments: MailAttachment[];
  notifyBlock: NotifyBlock | null;
  notifyAuth: NotifyAuth | null;
}

/** A file that came with a message: where it lies on this machine, or, from a mail server, what is in it. */
export interface AttachedFile {
  attachment: MailAttachment;
  content: { path: string } | { bytes: Buffer };
}

/** All filters hold together; null leaves one out. */
export interface MailQuery {
  box: string;
  read: boolean | null;
  answered: boolean | null;
  archived: boolean | null;
  limit: number | null;
  /** Milliseconds since 1970, inclusive. */
  since: number | null;
  /** Left out, the newest come first, and the limit leaves the newest. */
  oldestFirst?: boolean;
  /** Left out, `body` is null in what is found: a whole inbox with its bodies may be more than fits. */
  bodies?: boolean;
}

/** What is known of a message without a look at its content. */
export interface MailHeading extends Pick<MailView, 'ref' | 'threadRef' | 'createdAtUtc' | 'subject'> {
  /** By what it is known again where its reference changes: servers give a message another id when two threads become one. */
  key: string;
}

export interface MailPage {
  /** In the order of the query. */
  messages: MailView[];
  /** Messages of the box that cannot be shown, and why. */
  damaged: { ref: string; detail: string }[];
}

export interface OutgoingMail {
  body: string;
  attachments: { path: string; label: string | null }[];
  notifyBlock: NotifyBlock | null;
  notifyAuth: NotifyAuth | null;
}

/** Which message is to come of a call, chosen before it: who calls again with it never delivers it twice. */
export interface MessageStamp {
  /** By newMessageId, of the same moment. */
  messageId: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it was used before: the message may be there already. */
  again: boolean;
}

/** Who chooses the stamp of a call. */
export interface MessageStamps {
  /** That of an earlier call, or one that nobody keeps yet. @throws {MailRefusal} where the earlier call was another one. */
  chosen(): Promise<MessageStamp>;
  /**
   * Makes a choice last. Asked once the mail breaks no rule and before any of it is delivered, so what is refused uses up nothing.
   * @returns it, or, with `again`, what a faster call has chosen.
   */
  keep(stamp: MessageStamp): Promise<MessageStamp>;
}

/** What came of a stamp. */
export interface Delivered {
  /** As this mailbox has it now. */
  message: MailView;
  /** An earlier call had delivered it. */
  replayed: boolean;
}

/** What is set; the others stay as they are. */
export interface MarkChanges {
  read?: boolean;
  answered?: boolean;
  /** True moves to the box `archive`, false to `inbox`. */
  archived?: boolean;
}

/** One agent's mailbox. */
export interface MailTransport {
  readonly name: 'filesystem' | 'stalwart';
  /** Fails where nothing else would work either. */
  check(): Promise<void>;
  /** All pages as one. */
  list(query: MailQuery): Promise<MailPage>;
  /**
   * The same messages piece by piece: a page is read when it is asked for, so whoever has seen enough stops, and holds no more
   * than one.
   */
  pages(query: MailQuery): AsyncIterable<MailPage>;
  /** The same messages, damaged ones too. No content is read. */
  headings(query: MailQuery): Promise<MailHeading[]>;
  /** @param box that it must be in; null for any. */
  peek(ref: string, box: string | null): Promise<MailView>;
  /** Also marks it read; not where it is in another box. */
  read(ref: string, box: string | null): Promise<MailView>;
  /** `attachment_unknown` where the message has no such file. Whether a path leads anywhere is not looked at. */
  attachment(ref: string, attachmentId: string): Promise<AttachedFile>;
  send(
    mail: OutgoingMail & { to: readonly string[]; cc: readonly string[]; subject: string },
    stamps: MessageStamps,
  ): Promise<Delivered>;
  /** A note of the operator's to this mailbox. */
  post(
    mail: OutgoingMail & { subject: string; replyPolicy: ReplyPolicy },
    stamps: MessageStamps,
  ): Promise<Delivered>;
  reply(parentRef: string, mail: OutgoingMail, stamps: MessageStamps): Promise<Delivered>;
  /** All are changed or none. @returns them as they are then, in the order of the references. */
  mark(refs: readonly string[], changes: MarkChanges): Promise<MailView[]>;
  /** All are moved or none. */
  move(refs: readonly string[], box: string): Promise<MailView[]>;
  /**
   * Waits until something in the mailbox may have changed since the last call, for so many milliseconds at most, or until
   * `enough` aborts. One caller at a time.
   * @returns whether it may have.
   */
  change(enough: AbortSignal, longest: number): Promise<boolean>;
  close(): void;
}

/** The box that messages are to be moved to: a name that no box can have is the mailbox's refusal, not the contract's. */
export function askedBox(text: string): string {
  try {
    return parseBoxName(text, 'destination_box');
  } catch (error) {
    if (error instanceof MailRefusal) throw new MailFault('box_unusable', error.message);
    throw error;
  }
}

/** @throws {MailFault} `marks_differ` for marks that contradict each other. */
export function checkMark({ archived, read }: MarkChanges): void {
  if (archived === true && read === false)
    throw new MailFault(
      'marks_differ',
      'what is archived counts as read: read=false goes with archived=false',
    );
}

/** Pure: the attachment of a message by its id. @throws {MailFault} `attachment_unknown` */
export function attachmentOf({ ref, attachments }: MailView, attachmentId: string): MailAttachment {
  const id = attachmentId.trim();
  const found = attachments.find((attachment) => attachment.attachmentId === id);
  if (found) return found;
  const ids = attachments.map((attachment) => attachment.attachmentId).join(', ');
  const has = ids === '' ? 'no attachment' : `no attachment ${id}; it has ${ids}`;
  throw new MailFault('attachment_unknown', `${ref} has ${has}`);
}

/** All pages as one. */
export async function onePage(pages: AsyncIterable<MailPage>): Promise<MailPage> {
  const all: MailPage = { messages: [], damaged: [] };
  for await (const { messages, damaged } of pages) {
    all.messages.push(...messages);
    all.damaged.push(...damaged);
  }
  return all;
}
