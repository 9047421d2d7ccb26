import type { Clock } from '../../foundation/clock.js';
import { MailFault } from '../message/mail-fault.js';
import { strip } from '../message/mail-text.js';
import type { ReplyPolicy } from '../message/operator-message.js';
import {
  type AttachedFile,
  attachmentOf,
  checkedBox,
  checkMark,
  type Delivered,
  type MailHeading,
  type MailPage,
  type MailQuery,
  type MailTransport,
  type MailView,
  type MarkChanges,
  type MessageStamps,
  type OutgoingMail,
  onePage,
} from '../transport/mail-transport.js';
import { AccountWatch, PushStream } from './account-watch.js';
import type { Credential } from './client/credential-file.js';
import { JmapClient } from './client/jmap-client.js';
import { ServerFault } from './client/server-fault.js';
import type { RefusalMemory } from './client/sign-in-guard.js';
import { AccountBoxes } from './mail/account-boxes.js';
import { type MailRefs, mailRefs } from './mail/email-ref.js';
import { blobIdOf } from './mail/email-view.js';
import { changeOf, MailChange } from './mail/mail-change.js';
import { MailReader, parentMessage } from './mail/mail-reader.js';
import { MailSend } from './mail/mail-send.js';
import { MailSubmitter } from './mail/mail-submission.js';
import { type SentId, SentMail } from './mail/send-once.js';

export interface JmapTransportParts {
  jmapUrl: string;
  /** Reads the present credential. */
  credential: () => Credential;
  /** Where it is left out, only this transport remembers refusals. */
  refusals?: RefusalMemory;
  owner: { address: string; principalId: string };
  clock: Clock;
  /** Milliseconds for one call to the server; where it is left out, the time that its kind needs. */
  limit?: number;
}

/** A mailbox on a mail server (docs/decisions.md#mail-servers). */
export class JmapTransport implements MailTransport {
  readonly name = 'stalwart';
  readonly #client: JmapClient;
  readonly #reader: MailReader;
  readonly #change: MailChange;
  readonly #send: MailSend;
  readonly #boxes: AccountBoxes;
  readonly #refs: MailRefs;
  readonly #watch: AccountWatch;

  constructor({ owner, clock, ...server }: JmapTransportParts) {
    const client = new JmapClient({ ...server, clock });
    const boxes = new AccountBoxes(client);
    this.#client = client;
    const refs = mailRefs({ jmapUrl: server.jmapUrl, address: owner.address });
    this.#boxes = boxes;
    this.#refs = refs;
    this.#reader = new MailReader(client, boxes, refs);
    this.#change = new MailChange(client, boxes, refs);
    const parts = { submission: new MailSubmitter(client, boxes, refs), sent: new SentMail(client, boxes) };
    this.#send = new MailSend({ client, owner, clock, ...parts });
    this.#watch = new AccountWatch(client, new PushStream(client, clock), clock);
  }

  async check(): Promise<void> {
    await this.#boxes.renewed();
  }

  list(query: MailQuery): Promise<MailPage> {
    return onePage(this.pages(query));
  }

  pages(query: MailQuery): AsyncIterable<MailPage> {
    return this.#reader.pages(query);
  }

  headings(query: MailQuery): Promise<MailHeading[]> {
    return this.#reader.headings(query);
  }

  peek(ref: string, box: string | null): Promise<MailView> {
    return this.#reader.one(this.#idOf(ref), box === null ? null : strip(box));
  }

  async read(ref: string, box: string | null): Promise<MailView> {
    const view = await this.peek(ref, box);
    if (view.read) return view;
    await this.#change.apply([this.#idOf(ref)], { read: true });
    return { ...view, read: true };
  }

  async attachment(ref: string, attachmentId: string): Promise<AttachedFile> {
    const view = await this.#reader.one(this.#idOf(ref));
    const attachment = attachmentOf(view, attachmentId);
    const bytes = await this.#client.download({ ...attachment, blobId: blobIdOf(attachment) });
    return { attachment, content: { bytes } };
  }

  send(
    mail: OutgoingMail & { to: readonly string[]; cc: readonly string[]; subject: string },
    stamps: MessageStamps,
  ): Promise<Delivered> {
    return this.#delivered(this.#send.send(mail, stamps));
  }

  post(
    mail: OutgoingMail & { subject: string; replyPolicy: ReplyPolicy },
    stamps: MessageStamps,
  ): Promise<Delivered> {
    return this.#delivered(this.#send.post(mail, stamps));
  }

  async reply(parentRef: string, mail: OutgoingMail, stamps: MessageStamps): Promise<Delivered> {
    const parentId = this.#idOf(parentRef);
    const parent = () => parentMessage(this.#client, this.#refs, parentId);
    const sent = await known(() => this.#send.reply(parent, mail, stamps));
    await this.#done(
      () => this.#change.apply([parentId], { read: true, answered: true }),
      `the reply was sent, but ${this.#refs.message(parentId)} is not marked answered`,
      this.#refs.message(sent.id),
    );
    return this.#delivered(Promise.resolve(sent));
  }

  async mark(refs: readonly string[], changes: MarkChanges): Promise<MailView[]> {
    checkMark(changes);
    return this.#changed(
      refs.map((ref) => this.#idOf(ref)),
      changeOf(changes),
    );
  }

  async move(refs: readonly string[], box: string): Promise<MailView[]> {
    // A box that exists may be within another one; a box that is made here is not.
    const given = strip(box);
    const name = (await this.#boxes.find(given)) === null ? checkedBox(box) : given;
    return this.#changed(
      refs.map((ref) => this.#idOf(ref)),
      { box: name, ...(name === 'archive' && { read: true }) },
    );
  }

  change(enough: AbortSignal, longest: number): Promise<boolean> {
    return this.#watch.change(enough, longest);
  }

  close(): void {
    this.#watch.close();
  }

  #idOf(ref: string): string {
    return this.#refs.idOf(ref, 'message_ref');
  }

  async #changed(ids: readonly string[], change: Parameters<MailChange['apply']>[1]): Promise<MailView[]> {
    await known(() => this.#change.apply(ids, change));
    return this.#done(() => this.#reader.several(ids), 'it is done, but cannot be shown');
  }

  async #delivered(sending: Promise<SentId>): Promise<Delivered> {
    const { id, replayed } = await known(() => sending);
    const ref = this.#refs.message(id);
    const message = await this.#done(() => this.#reader.one(id), 'it is done, but cannot be shown', ref);
    return { message, replayed };
  }

  /** Keeps finished work from being reported as refused when only the next step fails. */
  async #done<T>(work: () => Promise<T>, what: string, deliveredRef: string | null = null): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MailFault)) throw error;
      throw new MailFault('state_late', `${what}: ${error.message}`, { cause: error, deliveredRef });
    }
  }
}

/** Keeps work whose outcome is unknown from being reported as refused. */
async function known<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServerFault) || !error.outcomeUnknown) throw error;
    throw new MailFault('outcome_unknown', `whether it is done is not known: ${error.message}`, {
      cause: error,
    });
  }
}
