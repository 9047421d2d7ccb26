import { newMessageId } from '../message/message-id.js';
import type {
  Delivered,
  MailTransport,
  MailView,
  MessageStamp,
  MessageStamps,
} from '../transport/mail-transport.js';
import { fetchedFile } from './fetched-file.js';
import {
  type AttachedAnswer,
  attachmentAnswer,
  type ListAnswer,
  listAnswer,
  type MailboxIdentity,
  type ManyAnswer,
  mailHead,
  messageAnswer,
  type OneAnswer,
  type StatusAnswer,
} from './mail-answers.js';
import {
  type ArchiveBody,
  type AttachmentBody,
  type ListBody,
  type MarkBody,
  type MoveBody,
  mailQuery,
  markChanges,
  messageRefs,
  type OneBody,
  outgoingMail,
  type PostBody,
  type ReplyBody,
  type SendBody,
} from './mail-bodies.js';

/** Makes the stamp of a message that no earlier call began. */
export const freshStamp = (now: Date): MessageStamp => ({
  messageId: newMessageId(now),
  at: now.getTime(),
  again: false,
});

/** Makes the stamps of a call whose message is known, or that is not to be repeated. */
export const fixedStamps = (stamp: MessageStamp): MessageStamps => ({
  chosen: async () => stamp,
  keep: async () => stamp,
});

/** An answer, and whether an earlier call with the same stamp had done the work. */
export interface SentAnswer<Operation extends string> {
  answer: OneAnswer<Operation>;
  replayed: boolean;
}

/**
 * The operations of the mail facade on one open mailbox: a gateway answers with them, and so does a program that works on the
 * mailbox where there is no gateway. Bodies have the form of the contract, and were checked by its rules. Every method throws the
 * errors of a {@link MailTransport}.
 */
export class MailFacade {
  readonly #identity: MailboxIdentity;
  readonly #transport: MailTransport;

  constructor(identity: MailboxIdentity, transport: MailTransport) {
    this.#identity = identity;
    this.#transport = transport;
  }

  async status(): Promise<StatusAnswer> {
    await this.#transport.check();
    return { ...mailHead(this.#identity), bindings_version: this.#identity.bindings_version };
  }

  async list(body: ListBody): Promise<ListAnswer> {
    const query = mailQuery(body);
    const page = await this.#transport.list(query);
    return listAnswer(mailHead(this.#identity), page, query.box);
  }

  async peek(body: OneBody): Promise<OneAnswer<'peek'>> {
    return this.#one('peek', await this.#transport.peek(body.message_ref, body.box ?? null));
  }

  async read(body: OneBody): Promise<OneAnswer<'read'>> {
    return this.#one('read', await this.#transport.read(body.message_ref, body.box ?? null));
  }

  /** @param folder for files that are fetched from a mail server. */
  async attachment(body: AttachmentBody, folder: string): Promise<AttachedAnswer> {
    const { message_ref, attachment_id: id } = body;
    const file = await this.#transport.attachment(message_ref, id);
    const { path, sizeBytes: size_bytes, sha256, unchanged } = await fetchedFile(file, folder);
    return {
      ...mailHead(this.#identity),
      operation: 'attachment',
      message_ref: message_ref.trim(),
      attachment: attachmentAnswer(file.attachment),
      path,
      size_bytes,
      sha256,
      unchanged,
    };
  }

  async send(body: SendBody, stamps: MessageStamps): Promise<SentAnswer<'send'>> {
    const mail = { ...outgoingMail(body), to: body.to, cc: body.cc ?? [], subject: body.subject };
    return this.#sent('send', await this.#transport.send(mail, stamps));
  }

  async post(body: PostBody, stamps: MessageStamps): Promise<SentAnswer<'post'>> {
    const replyPolicy = body.reply_policy ?? 'operator_mailbox';
    const mail = { ...outgoingMail(body), subject: body.subject, replyPolicy };
    return this.#sent('post', await this.#transport.post(mail, stamps));
  }

  async reply(body: ReplyBody, stamps: MessageStamps): Promise<SentAnswer<'reply'>> {
    const mail = outgoingMail(body);
    return this.#sent('reply', await this.#transport.reply(body.message_ref, mail, stamps));
  }

  async mark(body: MarkBody): Promise<ManyAnswer<'mark'>> {
    return this.#many('mark', await this.#transport.mark(messageRefs(body), markChanges(body)));
  }

  async move(body: MoveBody): Promise<ManyAnswer<'move'>> {
    return this.#many('move', await this.#transport.move(messageRefs(body), body.destination_box));
  }

  async archive(body: ArchiveBody): Promise<ManyAnswer<'archive'>> {
    return this.#many('archive', await this.#transport.move(messageRefs(body), 'archive'));
  }

  #one<Operation extends string>(operation: Operation, view: MailView): OneAnswer<Operation> {
    return { ...mailHead(this.#identity), operation, message: messageAnswer(view) };
  }

  #sent<Operation extends string>(
    operation: Operation,
    { message, replayed }: Delivered,
  ): SentAnswer<Operation> {
    return { answer: this.#one(operation, message), replayed };
  }

  #many<Operation extends string>(operation: Operation, views: readonly MailView[]): ManyAnswer<Operation> {
    const messages = views.map(messageAnswer);
    return { ...mailHead(this.#identity), operation, message_count: messages.length, messages };
  }
}
