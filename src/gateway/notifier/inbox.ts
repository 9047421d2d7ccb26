import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Clock } from '../../foundation/clock.js';
import { MailFault, type MailFaultCode } from '../../mail/message/mail-fault.js';
import type { MailHeading, MailTransport, MailView } from '../../mail/transport/mail-transport.js';
import type { MailBinding, ServedMailbox, SessionMailbox } from '../mail/session-mailbox.js';
import { oldestFirst, queryOf } from './found-mail.js';
import { NoticeBoard, type RenderedNotices } from './notice-board.js';
import type { NoticeSettings, NotifierSettings } from './notifier-settings.js';
import { isMailboxError } from './notifier-support.js';
import { type ToldMail, toldOfAll } from './told-mail.js';

/** What stands in the inbox at one moment. */
export interface InboxPage {
  /** Which mailbox it is. */
  mailbox: string;
  /** Since when the agent has it, in milliseconds since 1970; null where the binding does not say. */
  since: number | null;
  /** The oldest first. */
  headings: MailHeading[];
}

/** Reading so many messages takes some milliseconds; between them other work goes on. */
const breathEvery = 20;

/** The inbox that wakes the agent. Headings are read at once, messages one by one: a large inbox is never in memory. */
export class Inbox {
  readonly #mailbox: Pick<ServedMailbox, 'use'>;
  /** Messages in it without a notice: no message changes, and most of a large inbox need not be read for each prompt. */
  #plain: ReadonlySet<string> = new Set();

  constructor(mailbox: Pick<ServedMailbox, 'use'>) {
    this.#mailbox = mailbox;
  }

  /** Mail that wakes. @param limit the newest so many; null for all. @throws as the mailbox does. */
  page(settings: Pick<NotifierSettings, 'mode'>, limit: number | null = null): Promise<InboxPage> {
    return this.#mailbox.use(async ({ binding, transport }) => ({
      mailbox: placeOf(binding),
      since: sinceIn(binding),
      headings: oldestFirst(await transport.headings({ ...queryOf(settings), limit })),
    }));
  }

  /** Everything in it, read or not: the agent counts as knowing it. */
  async baseline(): Promise<ToldMail> {
    const { mailbox, headings } = await this.page({ mode: 'any_inbox' });
    return toldOfAll(mailbox, headings);
  }

  /** The same of a mailbox that the agent has got: what came since then is new to it. */
  async baselineOfBinding(): Promise<ToldMail> {
    const { mailbox, headings, since } = await this.page({ mode: 'any_inbox' });
    if (since === null) return toldOfAll(mailbox, headings);
    // Mail has whole seconds: one of the same second is rather told of twice than not.
    const second = Math.floor(since / 1000) * 1000;
    return toldOfAll(
      mailbox,
      headings.filter(({ createdAtUtc }) => Date.parse(createdAtUtc) < second),
    );
  }

  /** The same of a gateway that starts. @param told when the agent was told of mail last; null for never. */
  async baselineOfStart(told: string | null): Promise<ToldMail> {
    const { mailbox, headings } = await this.page({ mode: 'any_inbox' });
    const last = told === null ? Number.NEGATIVE_INFINITY : Date.parse(told);
    return toldOfAll(
      mailbox,
      headings.filter(({ createdAtUtc }) => Date.parse(createdAtUtc) <= last),
    );
  }

  /** The notices of these messages, the oldest first, as far as they are still there. */
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

/** The same through every version of a binding that leads there. */
const placeOf = (binding: MailBinding): string =>
  JSON.stringify([
    binding.transport,
    binding.address,
    binding.transport === 'filesystem' ? binding.filesystem_root : binding.jmap_url,
  ]);

/** A version says when the mailbox was given to the agent, if it was written by a launch. */
function sinceIn({ bindings_version: version }: MailBinding): number | null {
  const at = Date.parse(version);
  return Number.isNaN(at) ? null : at;
}

/** Of one message alone: it was put away meanwhile, or cannot be read. */
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

interface MailWatchParts {
  mailbox: Pick<SessionMailbox, 'use'>;
  clock: Clock;
  isWanted: () => boolean;
  changed: () => void;
  /** Called with faults that must not stay silent. */
  report: (fault: string) => void;
}

/** One wait for a change lasts so long at most: after it the binding is looked at again. */
const longestMilliseconds = 5000;
const faultMilliseconds = 1000;

/** Tells when something in the agent's mailbox has changed, for as long as that is wanted. */
export class MailWatch {
  readonly #parts: MailWatchParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: MailWatchParts) {
    this.#parts = parts;
  }

  /** Nothing happens where it runs already. */
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
        // The look at the end of the interval says what is wrong with the mailbox.
        const { message } = error as Error;
        // What lasts is told once.
        if (!isMailboxError(error) && message !== reported)
          report(`the mailbox cannot be watched: ${message}`);
        reported = message;
        await clock.sleep(faultMilliseconds, signal);
      }
    }
  }
}
