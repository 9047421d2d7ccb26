import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { RequestRow } from '../../dispatch/queue/request-rows.js';
import type { Clock } from '../../foundation/clock.js';
import { MailFault, type MailFaultCode } from '../../mail/message/mail-fault.js';
import type { MailHeading, MailQuery, MailTransport, MailView } from '../../mail/transport/mail-transport.js';
import type { MailBinding } from '../../session/manifest-schema.js';
import type { TurnRow } from '../../turn/turn-table.js';
import { isMailboxError, type ServedMailbox, type SessionMailbox } from '../mail/session-mailbox.js';
import { NoticeBoard, type RenderedNotices } from './notifier-prompt.js';
import type { NoticeSettings, NotifierSettings } from './notifier-settings.js';

/** The content of the inbox at one moment. */
export interface InboxPage {
  /** The identity of the mailbox. */
  mailbox: string;
  /** The moment since which the agent has it, in milliseconds since 1970; null where the binding does not say. */
  since: number | null;
  /** Oldest first. */
  headings: MailHeading[];
}

/** The number of messages after which other work gets its turn; reading them takes some milliseconds. */
const breathEvery = 20;

/** The inbox that wakes the agent. Headings are read at once, messages one by one: a large inbox is never in memory. */
export class Inbox {
  readonly #mailbox: Pick<ServedMailbox, 'use'>;
  /**
   * Messages that are known to have no notice: messages never change, so most of a large inbox need not be read for each
   * prompt.
   */
  #plain: ReadonlySet<string> = new Set();

  constructor(mailbox: Pick<ServedMailbox, 'use'>) {
    this.#mailbox = mailbox;
  }

  /**
   * Returns the mail that wakes the agent.
   * @param limit how many of the newest messages; null for all.
   * @throws as the mailbox does.
   */
  page(settings: Pick<NotifierSettings, 'mode'>, limit: number | null = null): Promise<InboxPage> {
    return this.#mailbox.use(async ({ binding, transport }) => ({
      mailbox: placeOf(binding),
      since: sinceIn(binding),
      headings: oldestFirst(await transport.headings({ ...queryOf(settings), limit })),
    }));
  }

  /** Returns the baseline of a `PUT`: all mail in the inbox, read or not, is known to the agent. */
  async baseline(): Promise<KnownMail> {
    const { mailbox, headings } = await this.page({ mode: 'any_inbox' });
    return knownMailOf(mailbox, headings);
  }

  /** Returns the baseline of a mailbox that was given to the agent meanwhile: mail that came since then is new to it. */
  async baselineOfBinding(): Promise<KnownMail> {
    const { mailbox, headings, since } = await this.page({ mode: 'any_inbox' });
    if (since === null) return knownMailOf(mailbox, headings);
    // Times of mail are whole seconds: a message of the same second is notified twice rather than not at all.
    const second = Math.floor(since / 1000) * 1000;
    return knownMailOf(
      mailbox,
      headings.filter(({ createdAtUtc }) => Date.parse(createdAtUtc) < second),
    );
  }

  /**
   * Returns the baseline of a gateway that starts: mail since the last notice is new.
   * @param lastNotified when the agent was last notified of mail; null for never.
   */
  async baselineOfStart(lastNotified: string | null): Promise<KnownMail> {
    const { mailbox, headings } = await this.page({ mode: 'any_inbox' });
    const last = lastNotified === null ? Number.NEGATIVE_INFINITY : Date.parse(lastNotified);
    return knownMailOf(
      mailbox,
      headings.filter(({ createdAtUtc }) => Date.parse(createdAtUtc) <= last),
    );
  }

  /** Returns the notices of these messages, oldest first, as far as the messages are still there. */
  notices(headings: readonly MailHeading[], settings: NoticeSettings): Promise<RenderedNotices> {
    return this.#mailbox.use(async ({ transport }) => {
      const board = new NoticeBoard(settings);
      const plain = new Set(headings.map(({ ref }) => ref).filter((ref) => this.#plain.has(ref)));
      this.#plain = plain;
      const unread = headings.filter(({ ref }) => !plain.has(ref));
      for (const [index, { ref }] of unread.entries()) {
        if (board.isDone) return board.render(unread.length - index);
        if (index % breathEvery === breathEvery - 1) await yieldToOthers();
        const message = await peek(transport, ref);
        if (message?.notifyBlock === null) plain.add(ref);
        if (message !== null) board.add(message);
      }
      return board.render(0);
    });
  }
}

/** Returns the query for the mail that wakes the agent. */
const queryOf = ({ mode }: Pick<NotifierSettings, 'mode'>): MailQuery => ({
  box: 'inbox',
  read: mode === 'unread_only' ? false : null,
  answered: null,
  archived: false,
  limit: null,
  since: null,
});

const oldestFirst = (mail: readonly MailHeading[]): MailHeading[] =>
  [...mail].sort((a, b) => order(a.createdAtUtc, b.createdAtUtc) || order(a.ref, b.ref));

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the identity of a mailbox, which is the same for every version of a binding that leads there. */
const placeOf = (binding: MailBinding): string =>
  JSON.stringify([
    binding.transport,
    binding.address,
    binding.transport === 'filesystem' ? binding.filesystem_root : binding.jmap_url,
  ]);

/** Returns when the mailbox was given to the agent; the version says that if a launch wrote it. */
function sinceIn({ bindings_version: version }: MailBinding): number | null {
  const at = Date.parse(version);
  return Number.isNaN(at) ? null : at;
}

/** The faults of one message alone: it was moved away meanwhile, or cannot be read. */
const ofOneMessage: ReadonlySet<MailFaultCode> = new Set([
  'message_unknown',
  'message_damaged',
  'box_differs',
]);

async function peek(transport: MailTransport, ref: string): Promise<MailView | null> {
  try {
    return await transport.peek(ref, 'inbox');
  } catch (error) {
    if (error instanceof MailFault && ofOneMessage.has(error.code)) return null;
    throw error;
  }
}

/** The mail in its inbox that an agent knows, as far as the notifier can determine it. Plain data; never changed in place. */
export interface KnownMail {
  /** The identity of the mailbox. */
  mailbox: string;
  /** The keys of mail that the agent was notified of, and of mail that was there when the notifier was switched on. */
  known: ReadonlySet<string>;
  /** The notice that is on its way to the agent, and the keys of its mail. */
  underWay: { requestId: string; keys: ReadonlySet<string> } | null;
}

type Known = Pick<MailHeading, 'key'>;

const keysOf = (headings: readonly Known[]): ReadonlySet<string> => new Set(headings.map(({ key }) => key));

/**
 * Returns this mail as known.
 * @param headings of all mail in the inbox.
 */
export const knownMailOf = (mailbox: string, headings: readonly Known[]): KnownMail => ({
  mailbox,
  known: keysOf(headings),
  underWay: null,
});

/** Decides whether the agent was not notified of this mail, and will not be by the notice that is on its way. */
export const isNewTo = ({ known, underWay }: KnownMail, key: string): boolean =>
  !known.has(key) && underWay?.keys.has(key) !== true;

export const noticeQueued = (mail: KnownMail, requestId: string, headings: readonly Known[]): KnownMail => ({
  ...mail,
  underWay: { requestId, keys: keysOf(headings) },
});

/** @param reached whether the agent counts as notified of the mail in the notice under way. */
export const noticeEnded = (
  { mailbox, known, underWay }: KnownMail,
  { reached }: { reached: boolean },
): KnownMail => ({
  mailbox,
  underWay: null,
  known: reached ? new Set([...known, ...(underWay?.keys ?? [])]) : known,
});

/**
 * Forgets mail that has left the inbox.
 * @param headings of all mail in it.
 */
export function withoutGone(mail: KnownMail, headings: readonly Known[]): KnownMail {
  const there = keysOf(headings);
  return { ...mail, known: new Set([...mail.known].filter((key) => there.has(key))) };
}

/**
 * The outcome of a notice of mail:
 * `notified`: the agent got it, or the outcome is unknown;
 * `withdrawn`: a caller cancelled it, and with it the wake for that mail;
 * `dropped`: it was not sent, and that was right: its mail was gone, or it was for an earlier instance of the agent;
 * `failed`: it should have been delivered and was not.
 */
type NoticeEnd = 'under_way' | 'notified' | 'withdrawn' | 'dropped' | 'failed';

/**
 * Decides the outcome of a notice. Pure.
 * @param request null where it is not kept any more.
 * @param turn null where none was begun.
 */
export function noticeEnd(
  request: Pick<RequestRow, 'state' | 'error_code'> | null,
  turn: Pick<TurnRow, 'delivery_state'> | null,
): NoticeEnd {
  if (request === null || turn?.delivery_state === 'confirmed') return 'notified';
  switch (request.state) {
    case 'accepted':
    case 'running':
      return 'under_way';
    case 'completed':
      return turn === null ? 'dropped' : 'notified';
    case 'failed':
      return turn === null || turn.delivery_state === 'failed' ? 'failed' : 'notified';
    case 'cancelled':
      return request.error_code === 'discarded' ? 'dropped' : 'withdrawn';
    case 'coalesced':
      return 'dropped';
  }
}

interface MailWatchParts {
  mailbox: Pick<SessionMailbox, 'use'>;
  clock: Clock;
  isWanted: () => boolean;
  changed: () => void;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
}

/** The longest wait for a change; after it the binding is read again. */
const longestMilliseconds = 5000;
const faultMilliseconds = 1000;

/** The watch that reports changes in the agent's mailbox, for as long as that is wanted. */
export class MailWatch {
  readonly #parts: MailWatchParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: MailWatchParts) {
    this.#parts = parts;
  }

  /** Starts the watch, unless it runs already. */
  start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { mailbox, clock, isWanted, changed, report } = this.#parts;
    const { signal } = this.#stopping;
    let reported: string | null = null;
    while (!signal.aborted && isWanted()) {
      try {
        const isNew = await mailbox.use(({ transport }) => transport.change(signal, longestMilliseconds));
        reported = null;
        if (isNew && !signal.aborted) changed();
      } catch (error) {
        // The check at the end of the interval reports the fault of the mailbox.
        const { message } = error as Error;
        // A fault that lasts is reported once.
        if (!isMailboxError(error) && message !== reported)
          report(`the mailbox cannot be watched: ${message}`);
        reported = message;
        await clock.sleep(faultMilliseconds, signal);
      }
    }
  }
}
