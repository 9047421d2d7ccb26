import { MailFault, MailRefusal } from '../message/mail-fault.js';
import type { NotifyAuth, NotifyBlock } from '../message/mail-message.js';
import { parseBoxName } from '../message/names.js';
import type { ReplyPolicy } from '../message/operator-message.js';

// The operations of every place that keeps mail, as the facade needs them (docs/decisions.md#mail-transports). Texts arrive as
// the caller gave them; a transport trims and checks them. Every method throws
//   {MailRefusal} for input that breaks a rule: nothing was changed;
//   {MailFault} for what the mailbox cannot do in its present state: nothing was changed either. With the code `state_late` the
//     operation is done, and could not be noted or shown everywhere; `deliveredRef` names the message that was delivered. With
//     `outcome_unknown` the outcome is unknown: an answer was lost.

/** A sender or recipient; null stands for what a transport does not know. */
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
  /** Opaque, like all references. */
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

/** A file that came with a message: its path on this machine or, from a mail server, its content. */
export interface AttachedFile {
  attachment: MailAttachment;
  content: { path: string } | { bytes: Buffer };
}

/** A query; a message must pass all filters, and null leaves one out. */
export interface MailQuery {
  box: string;
  read: boolean | null;
  answered: boolean | null;
  archived: boolean | null;
  limit: number | null;
  /** Milliseconds since 1970, inclusive. */
  since: number | null;
  /** Where it is left out, the newest come first, and the limit keeps the newest. */
  oldestFirst?: boolean;
  /** Where it is left out, `body` is null in the results: all bodies of an inbox may be too much to hold. */
  bodies?: boolean;
}

/** The facts about a message that are known without reading its content. */
export interface MailHeading extends Pick<MailView, 'ref' | 'threadRef' | 'createdAtUtc' | 'subject'> {
  /** Identifies the message when its reference changes: servers give a message another id when two threads become one. */
  key: string;
}

export interface MailPage {
  /** In the order of the query. */
  messages: MailView[];
  /** Messages of the box that cannot be shown, with the reason. */
  damaged: { ref: string; detail: string }[];
}

export interface OutgoingMail {
  body: string;
  attachments: { path: string; label: string | null }[];
  notifyBlock: NotifyBlock | null;
  notifyAuth: NotifyAuth | null;
}

/**
 * The identity of the message that a call makes, chosen before it: a caller that repeats a call with the same stamp
 * never delivers the message twice.
 */
export interface MessageStamp {
  /** Made by newMessageId, of the same moment. */
  messageId: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether the stamp was used before: the message may exist already. */
  again: boolean;
}

/** Chooses the stamp of a call. */
export interface MessageStamps {
  /**
   * Returns the stamp of an earlier call, or one that is not kept yet.
   * @throws {MailRefusal} where the earlier call was a different one.
   */
  chosen(): Promise<MessageStamp>;
  /**
   * Stores a choice. Called when the mail breaks no rule and before any of it is delivered, so that
   * a refused call uses up nothing.
   * @returns the stamp or, with `again`, the one that a faster call has chosen.
   */
  keep(stamp: MessageStamp): Promise<MessageStamp>;
}

/** The result of a delivery with a stamp. */
export interface Delivered {
  /** The message as this mailbox has it now. */
  message: MailView;
  /** Whether an earlier call had delivered it. */
  replayed: boolean;
}

/** The marks to set; the others stay as they are. */
export interface MarkChanges {
  read?: boolean;
  answered?: boolean;
  /** True moves the message to the box `archive`, false to `inbox`. */
  archived?: boolean;
}

/** One agent's mailbox. */
export interface MailTransport {
  readonly name: 'filesystem' | 'stalwart';
  /** Fails where no other operation would work either. */
  check(): Promise<void>;
  /** Returns all pages as one. */
  list(query: MailQuery): Promise<MailPage>;
  /**
   * Yields the same messages page by page: a page is read when it is requested, so a caller can stop
   * early and holds only one page.
   */
  pages(query: MailQuery): AsyncIterable<MailPage>;
  /** Returns headings of the same messages, also of damaged ones. No content is read. */
  headings(query: MailQuery): Promise<MailHeading[]>;
  /** @param box the box that the message must be in; null for any. */
  peek(ref: string, box: string | null): Promise<MailView>;
  /** Does the same and marks the message as read; one that is in another box is not marked. */
  read(ref: string, box: string | null): Promise<MailView>;
  /** Throws `attachment_unknown` where the message has no such file. Whether its path leads to a file is not checked. */
  attachment(ref: string, attachmentId: string): Promise<AttachedFile>;
  send(
    mail: OutgoingMail & { to: readonly string[]; cc: readonly string[]; subject: string },
    stamps: MessageStamps,
  ): Promise<Delivered>;
  /** Delivers a note from the operator to this mailbox. */
  post(
    mail: OutgoingMail & { subject: string; replyPolicy: ReplyPolicy },
    stamps: MessageStamps,
  ): Promise<Delivered>;
  reply(parentRef: string, mail: OutgoingMail, stamps: MessageStamps): Promise<Delivered>;
  /** Changes all messages or none. @returns the changed messages, in the order of the references. */
  mark(refs: readonly string[], changes: MarkChanges): Promise<MailView[]>;
  /** Moves all messages or none. */
  move(refs: readonly string[], box: string): Promise<MailView[]>;
  /**
   * Waits until something in the mailbox may have changed since the last call, for at most `longest` milliseconds, or until
   * `enough` aborts. Only one caller at a time.
   * @returns whether it may have changed.
   */
  change(enough: AbortSignal, longest: number): Promise<boolean>;
  close(): void;
}

/**
 * Checks the name of the box that messages are to be moved to: a name that no box can have is refused by
 * the mailbox, not by the contract.
 */
export function checkedBox(text: string): string {
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

/** Pure: returns the attachment of a message by its id. @throws {MailFault} `attachment_unknown` */
export function attachmentOf({ ref, attachments }: MailView, attachmentId: string): MailAttachment {
  const id = attachmentId.trim();
  const found = attachments.find((attachment) => attachment.attachmentId === id);
  if (found) return found;
  const ids = attachments.map((attachment) => attachment.attachmentId).join(', ');
  const has = ids === '' ? 'no attachment' : `no attachment ${id}; it has ${ids}`;
  throw new MailFault('attachment_unknown', `${ref} has ${has}`);
}

/** Joins all pages into one. */
export async function onePage(pages: AsyncIterable<MailPage>): Promise<MailPage> {
  const all: MailPage = { messages: [], damaged: [] };
  for await (const { messages, damaged } of pages) {
    all.messages.push(...messages);
    all.damaged.push(...damaged);
  }
  return all;
}
