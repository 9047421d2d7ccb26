import type { OncePerKey } from '../../../foundation/concurrency.js';
import type { MessageDraft } from '../../message/compose.js';
import { MailFault } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import { outgoingDraft } from '../../transport/attach-file.js';
import type { MessageStamp, MessageStamps, OutgoingMail } from '../../transport/mail-transport.js';
import type { JmapClient } from '../client/jmap-client.js';
import { type MethodCall, resultOf } from '../client/method-calls.js';
import { isMethodUnknown } from '../client/server-fault.js';
import type { AccountBoxes } from './account-boxes.js';
import type { UploadedFile } from './email-draft.js';
import { draft as draftKeyword, EmailsSchema, hasKeyword, operatorNote } from './email-schema.js';
import { QuerySchema } from './submission.js';

/** A message on the server, and whether an earlier call had sent it. */
export interface SentId {
  id: string;
  replayed: boolean;
}

/** A message that an earlier call began, and whether the server took it for its recipients. */
export interface BegunMail {
  id: string;
  submitted: boolean;
  /** By the server's clock, in milliseconds since 1970; 0 where it does not say. */
  madeAt: number;
}

export interface SendSteps {
  /** Returns the message of a stamp that is on the server; null where there is none. */
  begun(stamp: MessageStamp): Promise<BegunMail | null>;
  /** Throws where a submitted message did not reach all of its recipients, and still does not. */
  check(id: string): Promise<void>;
  compose(draft: MessageDraft, stamp: MessageStamp): Promise<MailMessage>;
  upload(draft: MessageDraft): Promise<UploadedFile[]>;
  /** Submits a message that is on the server already. */
  resend(message: MailMessage, id: string, stamp: MessageStamp): Promise<void>;
  /** @returns its id. */
  deliver(message: MailMessage, files: readonly UploadedFile[], stamp: MessageStamp): Promise<string>;
}

/**
 * Sends the message of a stamp, unless an earlier or a faster call did. Mail that breaks a rule uses up no stamp.
 * @param underWay the calls that are sending now.
 */
export async function sendOnce(
  stamps: MessageStamps,
  mail: OutgoingMail,
  { begun, check, compose, upload, resend, deliver }: SendSteps,
  underWay: OncePerKey<SentId>,
): Promise<SentId> {
  const first = await stamps.chosen();
  const known = async (stamp: MessageStamp): Promise<BegunMail | null> => {
    const found = stamp.again ? await begun(stamp) : null;
    if (found?.submitted) await check(found.id);
    return found;
  };
  const earlier = await known(first);
  if (earlier?.submitted) return { id: earlier.id, replayed: true };
  const draft = await outgoingDraft(mail, first);
  await compose(draft, first);
  const files = await upload(draft);
  const stamp = first.again ? first : await stamps.keep(first);
  const work = async (): Promise<SentId> => {
    const left = await known(stamp);
    if (left?.submitted) return { id: left.id, replayed: true };
    const message = await compose(draft, stamp);
    if (left === null) return { id: await deliver(message, files, stamp), replayed: false };
    await resend(message, left.id, stamp);
    return { id: left.id, replayed: false };
  };
  const sent = await underWay.run(stamp.messageId, '', work);
  if (sent === null) throw new Error('one digest stands for everything');
  return sent.shared ? { ...sent.answer, replayed: true } : sent.answer;
}

/** In milliseconds: the clocks of two machines, even with a wrong time zone, differ by less. */
const skew = 24 * 60 * 60 * 1000;

/** Finds a message that an earlier call began, by its Message-ID, wherever it was moved since. */
export class SentMail {
  readonly #client: JmapClient;
  readonly #boxes: AccountBoxes;

  constructor(client: JmapClient, boxes: AccountBoxes) {
    this.#client = client;
    this.#boxes = boxes;
  }

  /**
   * @param at when it was begun, in milliseconds since 1970.
   * @returns null where the server has nothing of it.
   * @throws {MailFault} `outcome_unknown` for a draft of which the server does not say whether it was submitted.
   */
  async find(messageId: string, at: number): Promise<BegunMail | null> {
    const [drafts, trash] = [await this.#boxes.find('drafts'), await this.#boxes.find('trash')];
    const isIn = (box: string | null, ids: object): boolean => box !== null && box in ids;
    let draft: { id: string; receivedAt: number; isThrownAway: boolean } | null = null;
    for await (const { id, mailboxIds, keywords, receivedAt } of this.#named(messageId, at)) {
      // It was submitted, whatever box it is in, even the own inbox: a server that takes a message removes the keyword.
      if (!hasKeyword(keywords, draftKeyword) && !isIn(drafts, mailboxIds))
        return { id, submitted: true, madeAt: receivedAt };
      const isThrownAway = isIn(trash, mailboxIds);
      if (draft === null || !isThrownAway) draft = { id, receivedAt, isThrownAway };
    }
    if (draft === null) return null;
    const { id, receivedAt, isThrownAway } = draft;
    const submitted = await this.#isSubmitted(id, isThrownAway);
    // A user who throws a draft away no longer wants it sent, or wants it sent again.
    return isThrownAway && !submitted ? null : { id, submitted, madeAt: receivedAt };
  }

  /** Finds a note that was posted here. */
  async findNote(messageId: string, at: number): Promise<BegunMail | null> {
    for await (const { id, keywords, receivedAt } of this.#named(messageId, at))
      if (hasKeyword(keywords, operatorNote)) return { id, submitted: true, madeAt: receivedAt };
    return null;
  }

  /**
   * Yields the messages with a Message-ID. Not every server has an index of these, so the messages of the
   * time in question are compared.
   */
  async *#named(messageId: string, at: number) {
    const { objectsInGet } = (await this.#client.document()).limits;
    const after = `${new Date(at - skew).toISOString().slice(0, 19)}Z`;
    const sort = [{ property: 'receivedAt', isAscending: true }];
    const properties = ['id', 'messageId', 'mailboxIds', 'keywords', 'receivedAt'];
    for (let position = 0; ; ) {
      const args = { filter: { after }, sort, position, limit: objectsInGet };
      const find: MethodCall = ['Email/query', args, 'find'];
      const ids = resultOf('find', 'Email/query', '/ids');
      const get: MethodCall = ['Email/get', { '#ids': ids, properties }, 'get'];
      const answers = await this.#client.call('look', [find, get]);
      for (const { id, messageId: names, mailboxIds, keywords, receivedAt } of answers.of(get, EmailsSchema)
        .list)
        if (Array.isArray(names) && names.includes(messageId))
          yield {
            id: id as string,
            mailboxIds: objectOf(mailboxIds),
            keywords: objectOf(keywords),
            receivedAt: Date.parse(String(receivedAt)) || 0,
          };
      const found = answers.of(find, QuerySchema);
      position += found.ids.length;
      if (found.ids.length < (found.limit ?? objectsInGet)) return;
    }
  }

  /** @param isThrownAway whether the draft is in the trash, so that it may be sent again. */
  async #isSubmitted(emailId: string, isThrownAway: boolean): Promise<boolean> {
    const find: MethodCall = ['EmailSubmission/query', { filter: { emailIds: [emailId] }, limit: 1 }, 'find'];
    const answers = await this.#client.call('look', [find]);
    try {
      return answers.of(find, QuerySchema).ids.length > 0;
    } catch (error) {
      if (!isMethodUnknown(error)) throw error;
      if (isThrownAway) return false;
      // Submitted again, it could arrive twice: some servers without records do not drop the copy.
      throw new MailFault(
        'outcome_unknown',
        'the mail server has the message among the drafts, and keeps no record of whether it sent it; if it did not arrive, delete the draft and repeat the call',
        { cause: error },
      );
    }
  }
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
