import { OncePerKey } from '../../../foundation/concurrency.js';
import { MailFault } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import type { JmapClient } from '../client/jmap-client.js';
import { type MethodAnswers, type MethodCall, resultOf } from '../client/method-calls.js';
import { isMethodUnknown, ServerFault } from '../client/server-fault.js';
import type { AccountBoxes } from './account-boxes.js';
import { emailDraft, envelopeOf, type UploadedFile } from './email-draft.js';
import type { MailRefs } from './email-ref.js';
import {
  type Created,
  CreatedSchema,
  type Fate,
  fateIn,
  fateWords,
  IdentitiesSchema,
  invalidIn,
  QuerySchema,
  type RefusedRecipient,
  SubmissionsSchema,
} from './submission.js';

const properties = ['id', 'sendAt', 'deliveryStatus'];

/** The fate of a message, and the answers that report it; null where the server keeps no record of it. */
type SubmissionReport = { answers: MethodAnswers; fate: Fate } | null;

/** Makes the calls for all submissions of a message. */
function submissionsOf(id: string): MethodCall[] {
  const find: MethodCall = ['EmailSubmission/query', { filter: { emailIds: [id] } }, 'find'];
  const ids = { '#ids': resultOf('find', 'EmailSubmission/query', '/ids') };
  return [find, ['EmailSubmission/get', { ...ids, properties }, 'status']];
}

/** Submits messages to a server, for their recipients. */
export class MailSubmitter {
  readonly #client: JmapClient;
  readonly #boxes: AccountBoxes;
  readonly #refs: MailRefs;
  readonly #completing = new OncePerKey<null>();

  constructor(client: JmapClient, boxes: AccountBoxes, refs: MailRefs) {
    this.#client = client;
    this.#boxes = boxes;
    this.#refs = refs;
  }

  /**
   * Makes the message and submits it, in one request: it is among the sent ones if, and only if, the server took it.
   * @returns its id.
   * @throws {ServerFault} with `outcomeUnknown` where the outcome is unknown.
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

  /** Puts a note into the agent's own inbox; it is not sent through any mail server. */
  async post(message: MailMessage, files: readonly UploadedFile[], messageId: string): Promise<string> {
    const inbox = await this.#boxes.need('inbox');
    const draft = emailDraft(message, files, { box: inbox, messageId });
    const make: MethodCall = ['Email/set', { create: { mail: draft } }, 'make'];
    return createdId(await this.#client.call('change', [make]), make, 'mail', 'the note');
  }

  async #submitCall(message: MailMessage, emailId: string): Promise<MethodCall> {
    const sent = await this.#boxes.need('sent');
    const submission = {
      identityId: await this.#identityOf(message.from.address),
      emailId,
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
    if (!own)
      throw new MailFault('owner_differs', `the mail server does not allow sending as ${address} here`);
    return own.id;
  }

  /**
   * Checks the fate of a message that was submitted before.
   * @throws {MailFault} as {@link send} does, where its recipients were refused.
   */
  async check(id: string): Promise<void> {
    await this.#throwIfRefused(id, await this.#fate(id, submissionsOf(id)));
  }

  /**
   * Does the same, after another try for the recipients that the server refused for the time being.
   * @param from the address of its sender.
   */
  async complete(id: string, from: string): Promise<void> {
    await this.#completing.run(id, '', async () => {
      const report = await this.#fate(id, submissionsOf(id));
      const later = report?.fate.refused.filter(({ isForNow }) => isForNow) ?? [];
      await this.#throwIfRefused(id, later.length === 0 ? report : await this.#again(id, from, later));
      return null;
    });
  }

  async #again(id: string, from: string, later: readonly RefusedRecipient[]): Promise<SubmissionReport> {
    const rcptTo = later.map(({ address }) => ({ email: address }));
    try {
      const submission = {
        identityId: await this.#identityOf(from),
        emailId: id,
        envelope: { mailFrom: { email: from }, rcptTo },
      };
      const submit: MethodCall = ['EmailSubmission/set', { create: { post: submission } }, 'submit'];
      const answers = await this.#client.call('change', [submit]);
      const created = answers.of(submit, CreatedSchema);
      if (created.created?.post === undefined) throw notTaken(answers, created);
    } catch (error) {
      if (!(error instanceof MailFault)) throw error;
      const names = later.map(({ address }) => address).join(', ');
      const detail = `it was sent, but not yet to ${names}: ${error.message}`;
      throw new MailFault('state_late', detail, { cause: error, deliveredRef: this.#refs.message(id) });
    }
    return this.#fate(id, submissionsOf(id));
  }

  async #settle(answers: MethodAnswers, submit: MethodCall, id: string): Promise<void> {
    const submission = await this.#submission(answers, submit, id);
    const look: MethodCall = ['EmailSubmission/get', { ids: [submission], properties }, 'status'];
    await this.#throwIfRefused(id, await this.#fate(id, [look]));
  }

  /** @returns the id of the submission. A message that was not submitted is not left among the drafts. */
  async #submission(answers: MethodAnswers, submit: MethodCall, id: string): Promise<string> {
    try {
      const created = answers.of(submit, CreatedSchema);
      const submission = created.created?.post?.id;
      if (submission === undefined) throw notTaken(answers, created);
      return submission;
    } catch (error) {
      if (error instanceof ServerFault && !error.outcomeUnknown) await this.#discard(id);
      throw error;
    }
  }

  async #throwIfRefused(id: string, report: SubmissionReport): Promise<void> {
    if (report === null || report.fate.refused.length === 0) return;
    const { answers, fate } = report;
    const detail = fateWords(fate, (text) => answers.words(text));
    if (!fate.isRefusedForAll)
      throw new MailFault('state_late', detail, { deliveredRef: this.#refs.message(id) });
    await this.#discard(id);
    throw new ServerFault('server_refused', detail);
  }

  /**
   * @param look calls, of which the last one requests the submissions.
   * @returns null where the server keeps no record of submissions: it reports refusals to the sender by mail.
   */
  async #fate(id: string, look: readonly MethodCall[]): Promise<SubmissionReport> {
    try {
      const answers = await this.#client.call('look', look);
      // The last call fails together with the one that it takes its arguments from, which names the reason.
      for (const call of look.slice(0, -1)) answers.of(call, QuerySchema);
      const { list } = answers.of(look.at(-1) as MethodCall, SubmissionsSchema);
      return { answers, fate: fateIn(list) };
    } catch (error) {
      if (isMethodUnknown(error)) return null;
      if (!(error instanceof MailFault)) throw error;
      const detail = `it was sent, but whether for all recipients is not known: ${error.message}`;
      throw new MailFault('state_late', detail, { cause: error, deliveredRef: this.#refs.message(id) });
    }
  }

  /** Removes a message that no recipient got from the drafts; where that fails, the fault to report is still the first one. */
  async #discard(id: string): Promise<void> {
    await this.#client.call('change', [['Email/set', { destroy: [id] }, 'discard']]).catch(() => undefined);
  }
}

/** Decides whether an identity covers an address. It may be for all addresses of a domain (RFC 8621, section 6). */
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
  if (error === undefined) return answers.unmentioned('the message');
  const invalid = invalidIn(error);
  return invalid.length > 0
    ? new ServerFault(
        'server_refused',
        `the mail server does not accept mail for ${answers.words(invalid.join(', '))}`,
      )
    : answers.refused('to send the message', error);
}
