import { MailFault } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import type { AccountBoxes } from '../boxes/account-boxes.js';
import type { JmapClient } from '../client/jmap-client.js';
import { type MethodAnswers, type MethodCall, resultOf } from '../client/method-calls.js';
import { isMethodUnknown, ServerFault } from '../client/server-fault.js';
import { emailDraft, envelopeOf, type UploadedFile } from './email-draft.js';
import type { MailRefs } from './email-ref.js';
import {
  type Created,
  CreatedSchema,
  type Fate,
  fateIn,
  IdentitiesSchema,
  invalidIn,
  QuerySchema,
  SubmissionsSchema,
} from './submission.js';

const properties = ['id', 'deliveryStatus'];

/** Hands messages to a server, for their recipients. */
export class MailSubmission {
  readonly #client: JmapClient;
  readonly #boxes: AccountBoxes;
  readonly #refs: MailRefs;

  constructor(client: JmapClient, boxes: AccountBoxes, refs: MailRefs) {
    this.#client = client;
    this.#boxes = boxes;
    this.#refs = refs;
  }

  /**
   * Makes the message and submits it, in one request: it is among the sent ones if, and only if, the server took it.
   * @returns its id. @throws {ServerFault} `mayBeDone` where it may have been sent.
   */
  async send(message: MailMessage, files: readonly UploadedFile[], messageId: string): Promise<string> {
    const drafts = await this.#boxes.need('drafts');
    const draft = emailDraft(message, files, { box: drafts, messageId });
    const make: MethodCall = ['Email/set', { create: { mail: draft } }, 'make'];
    const submit = await this.#submitCall(message, '#mail');
    const answers = await this.#client.call('change', [make, submit]);
    const made = createdId(answers, make, 'mail', 'the message');
    await this.#settle(answers, submit, made);
    return made;
  }

  /** Submits a message that is on the server already. */
  async resend(message: MailMessage, id: string): Promise<void> {
    const submit = await this.#submitCall(message, id);
    await this.#settle(await this.#client.call('change', [submit]), submit, id);
  }

  /** Puts a note into the own inbox; no mail server has a part in it. */
  async post(message: MailMessage, files: readonly UploadedFile[], messageId: string): Promise<string> {
    const inbox = await this.#boxes.need('inbox');
    const draft = emailDraft(message, files, { box: inbox, messageId });
    const make: MethodCall = ['Email/set', { create: { mail: draft } }, 'make'];
    return createdId(await this.#client.call('change', [make]), make, 'mail', 'the note');
  }

  async #submitCall(message: MailMessage, emailId: string): Promise<MethodCall> {
    const sent = await this.#boxes.need('sent');
    const submission = {
      ...{ identityId: await this.#identityOf(message.from.address), emailId },
      envelope: envelopeOf(message),
    };
    const filed = { mailboxIds: { [sent]: true }, 'keywords/$draft': null };
    return [
      'EmailSubmission/set',
      { create: { post: submission }, onSuccessUpdateEmail: { '#post': filed } },
      'submit',
    ];
  }

  async #identityOf(address: string): Promise<string> {
    const get: MethodCall = ['Identity/get', { ids: null }, 'who'];
    const { list } = (await this.#client.call('look', [get])).of(get, IdentitiesSchema);
    const own = list.find(({ email }) => isIdentityOf(email.toLowerCase(), address.toLowerCase()));
    if (!own) throw new MailFault('owner_differs', `the mail server lets nobody send as ${address} here`);
    return own.id;
  }

  /**
   * What became of a message that was submitted before.
   * @throws {MailFault} as {@link send} does, where its recipients were refused.
   */
  async check(id: string): Promise<void> {
    const find: MethodCall = ['EmailSubmission/query', { filter: { emailIds: [id] } }, 'find'];
    const ids = { '#ids': resultOf('find', 'EmailSubmission/query', '/ids') };
    await this.#tell(id, [find, ['EmailSubmission/get', { ...ids, properties }, 'status']]);
  }

  async #settle(answers: MethodAnswers, submit: MethodCall, id: string): Promise<void> {
    const submission = await this.#submission(answers, submit, id);
    await this.#tell(id, [['EmailSubmission/get', { ids: [submission], properties }, 'status']]);
  }

  /** @returns its id. What was not submitted is not left among the drafts. */
  async #submission(answers: MethodAnswers, submit: MethodCall, id: string): Promise<string> {
    try {
      const created = answers.of(submit, CreatedSchema);
      const submission = created.created?.post?.id;
      if (submission === undefined) throw notTaken(answers, created);
      return submission;
    } catch (error) {
      if (error instanceof ServerFault && !error.mayBeDone) await this.#discard(id);
      throw error;
    }
  }

  /** @param look of which the last call asks for the submission. */
  async #tell(id: string, look: readonly MethodCall[]): Promise<void> {
    const told = await this.#fate(id, look);
    if (told === null || told.fate.refused.length === 0) return;
    const { answers, fate } = told;
    const words = fate.refused
      .map(({ address, reply }) => `${answers.words(address)} (${answers.words(reply)})`)
      .join(', ');
    if (!fate.isNobodys)
      throw new MailFault('state_late', `it was sent, but not to ${words}`, {
        deliveredRef: this.#refs.message(id),
      });
    await this.#discard(id);
    throw new ServerFault('server_refused', `the mail server takes nothing for ${words}`);
  }

  /** @returns null where the server keeps no record of what it was given: it tells the sender of refusals by mail. */
  async #fate(
    id: string,
    look: readonly MethodCall[],
  ): Promise<{ answers: MethodAnswers; fate: Fate } | null> {
    try {
      const answers = await this.#client.call('look', look);
      // The last call fails with the one that it takes its arguments from, which says why.
      for (const call of look.slice(0, -1)) answers.of(call, QuerySchema);
      const { list } = answers.of(look.at(-1) as MethodCall, SubmissionsSchema);
      return { answers, fate: fateIn(list[0]?.deliveryStatus) };
    } catch (error) {
      if (isMethodUnknown(error)) return null;
      if (!(error instanceof MailFault)) throw error;
      const detail = `it was sent, but whether for all recipients is not known: ${error.message}`;
      throw new MailFault('state_late', detail, { cause: error, deliveredRef: this.#refs.message(id) });
    }
  }

  /** What nobody got is not left among the drafts; where that fails, it is no reason to tell of another fault. */
  async #discard(id: string): Promise<void> {
    await this.#client.call('change', [['Email/set', { destroy: [id] }, 'discard']]).catch(() => undefined);
  }
}

/** An identity may be for all addresses of a domain (RFC 8621, section 6). */
const isIdentityOf = (identity: string, address: string): boolean =>
  identity === address || (identity.startsWith('*@') && address.endsWith(identity.slice(1)));

function createdId(answers: MethodAnswers, call: MethodCall, key: string, what: string): string {
  const { created, notCreated } = answers.of(call, CreatedSchema);
  const id = created?.[key]?.id;
  if (id === undefined) throw answers.refused(`to take ${what}`, notCreated?.[key]);
  return id;
}

function notTaken(answers: MethodAnswers, { notCreated }: Created): MailFault {
  const error = notCreated?.post;
  if (error === undefined) return answers.untold('the message');
  const invalid = invalidIn(error);
  return invalid.length > 0
    ? new ServerFault(
        'server_refused',
        `the mail server takes nothing for ${answers.words(invalid.join(', '))}`,
      )
    : answers.refused('to send the message', error);
}
