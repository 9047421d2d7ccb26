import { WakefulLoop } from '../../foundation/concurrency.js';
import { reportAndGoOn } from '../../storage/storage-fault.js';
import type { Store } from '../../storage/store.js';
import type { TurnTable } from '../../turn/turn-table.js';
import {
  isLostMailbox,
  isMailboxError,
  ServedMailbox,
  type SessionMailbox,
} from '../mail/session-mailbox.js';
import type { StaleNotice } from '../requests/worker.js';
import { Inbox, MailWatch, noticeEnd, noticeEnded } from './inbox.js';
import {
  type InboxCheckEnd,
  InboxChecker,
  type InboxCheckerParts,
  type NotifierCounts,
} from './inbox-check.js';
import { type AuditAmendment, NotifierBook, NotifierTable } from './notifier-book.js';
import { installedSkills, notifierPrompt } from './notifier-prompt.js';
import { NotifierService } from './notifier-service.js';

export interface MailNotifierParts extends Omit<NotifierLoopParts, 'book' | 'prompt' | 'mailbox' | 'inbox'> {
  store: Store;
  mailbox: SessionMailbox;
  /** The home folder of the agent's tool, which contains its skills. */
  home: string;
  /** The address on which this gateway listens. */
  host: string;
  /** The port of this gateway, on 127.0.0.1. */
  port: number;
}

/** The notifier that wakes the agent when mail comes: its settings for callers, and the loop that checks the inbox. */
export class MailNotifier {
  readonly service: NotifierService;
  readonly loop: NotifierLoop;
  readonly table: NotifierTable;
  /** Returns why a notice that was queued need not be sent any more; null while it should be. */
  readonly stale: () => Promise<StaleNotice | null>;

  constructor({ store, home, host, port, ...parts }: MailNotifierParts) {
    const { tool, target, journal } = parts;
    this.table = new NotifierTable(store);
    const book = new NotifierBook(this.table, journal);
    const mailbox = new ServedMailbox(parts.mailbox, host);
    const inbox = new Inbox(mailbox);
    this.loop = new NotifierLoop({
      ...parts,
      book,
      mailbox,
      inbox,
      prompt: (settings, notices) =>
        notifierPrompt({
          settings,
          notices,
          tool,
          skills: installedSkills(tool, home),
          gatewayUrl: `http://127.0.0.1:${port}`,
        }),
    });
    this.service = new NotifierService({
      book,
      journal,
      mailbox,
      inbox,
      target,
      wakeLoop: () => this.loop.wake(),
    });
    this.stale = () => staleNotice({ book, mailbox, inbox });
  }
}

interface StaleNoticeParts {
  book: NotifierBook;
  mailbox: ServedMailbox;
  inbox: Inbox;
}

/**
 * Checks the mail again when the turn of a queued notice has come (docs/decisions.md#stale-notices).
 * @returns null while the notice should be sent.
 */
export async function staleNotice(parts: StaleNoticeParts): Promise<StaleNotice | null> {
  const { book } = parts;
  const found = await amendmentOf(parts);
  return found && { detail: found.detail, dropped: (requestId) => book.table.amendAudit(requestId, found) };
}

/** Returns what the audit says instead; null while the notice should be sent. */
async function amendmentOf({
  book,
  mailbox,
  inbox,
}: StaleNoticeParts): Promise<(AuditAmendment & { detail: string }) | null> {
  const { settings } = book.stored;
  if (!settings.enabled)
    return { outcome: 'enqueued', detail: 'The notifier was switched off before the prompt went out.' };
  if (mailbox.obstacle !== null) return { outcome: 'poll_error', detail: mailbox.obstacle };
  try {
    const { headings } = await inbox.page(settings, 1);
    return headings.length > 0
      ? null
      : { outcome: 'empty', detail: 'The mail was gone from the inbox before the prompt went out.' };
  } catch (error) {
    if (isLostMailbox(error))
      return { outcome: 'poll_error', detail: "The mailbox is not the agent's any more." };
    // The notice is sent: the agent will see the fault for itself.
    if (isMailboxError(error)) return null;
    throw error;
  }
}

// The loop checks the agent's inbox and queues a prompt about new mail (docs/decisions.md#when-the-notifier-wakes):
//
//   off ──enabled──▶ waiting ──interval expired | mailbox changed──▶ checking ──nothing, or nothing new──▶ waiting
//                      ▲                                                │
//                      │                                    mail: is the agent free?
//                      ├──queued ◀──yes─────────────────────────────────┤
//                      │    └──not delivered──▶ a pause, then checking  │
//                      └──at the next interval, or as soon as it is ◀─no┘
//
// The check is InboxChecker's (inbox-check.ts), which also puts the notice into the queue.
// Mail that the agent was notified of before wakes it again only at the end of an interval.

const faultMilliseconds = 1000;

interface NotifierLoopParts extends Omit<InboxCheckerParts, 'enough' | 'counts'> {
  mailbox: ServedMailbox;
  inbox: Inbox;
  turnTable: Pick<TurnTable, 'ofRequest'>;
}

class NotifierLoop {
  /** How often it looked into the inbox, queued a prompt, and failed. */
  readonly counts: NotifierCounts = { polls: 0, wakes: 0, failures: 0 };
  readonly #parts: NotifierLoopParts;
  readonly #loop: WakefulLoop;
  readonly #watch: MailWatch;
  readonly #checker: InboxChecker;
  readonly #stopping = new AbortController();
  /** The next end of the interval, in milliseconds of a monotonic clock, as all times here; null while the notifier is off. */
  #due: number | null = null;
  #interval = 0;
  #changed = false;
  #waiting = false;
  #again = 0;
  #notBefore = 0;
  /** The number of tries in a row that should have notified the agent and did not. */
  #failures = 0;

  constructor(parts: NotifierLoopParts) {
    this.#parts = parts;
    this.#checker = new InboxChecker({ ...parts, counts: this.counts, enough: this.#stopping.signal });
    this.#watch = new MailWatch({
      ...parts,
      isWanted: () => parts.book.stored.settings.enabled,
      changed: () => this.#mailboxChanged(),
    });
    const goOn = reportAndGoOn('the mail notifier', parts.report);
    this.#loop = new WakefulLoop({
      step: () => this.#step(),
      fault: (error) => {
        // A mailbox that cannot be read may be free the next time; the check at the end of the interval reports it if it
        // is not.
        if (!isMailboxError(error)) goOn(error);
        return faultMilliseconds;
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Wakes the loop, because the settings have changed. */
  wake(): void {
    this.#loop.wake();
  }

  /** Wakes the loop if mail waits, because the agent may be free. */
  wakeIfMailWaits(): void {
    if (this.#waiting) this.#mailboxChanged();
  }

  #mailboxChanged(): void {
    this.#changed = true;
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await this.#watch.stop();
  }

  /** @returns how many milliseconds to sleep. */
  async #step(): Promise<number> {
    const { clock, book, mailbox } = this.#parts;
    const { settings } = book.stored;
    if (!settings.enabled || settings.intervalSeconds === null) return this.#rest();
    if (book.knownMail === null) await this.#begin();
    await this.#followNotice(settings.intervalSeconds);
    const now = clock.monotonic();
    if (this.#due === null || this.#interval !== settings.intervalSeconds)
      this.#due = now + settings.intervalSeconds * 1000;
    this.#interval = settings.intervalSeconds;
    // The watch ends by itself when it sees the notifier off, which this loop may have missed.
    if (mailbox.obstacle === null) this.#watch.start();
    const next = nextCheck(
      {
        due: this.#due,
        changed: this.#changed,
        waiting: this.#waiting,
        again: this.#again,
        notBefore: this.#notBefore,
        noticeUnderWay: book.knownMail?.underWay != null,
      },
      now,
    );
    if ('sleep' in next) return next.sleep;
    const woken = { waiting: this.#waiting, changed: this.#changed };
    this.#changed = false;
    this.#again = now + waitingMilliseconds;
    try {
      this.#follow(await this.#checker.check(next.look, settings, woken), settings.intervalSeconds);
    } catch (error) {
      // The change that caused this check must not be forgotten with it.
      this.#changed = true;
      throw error;
    } finally {
      if (next.look === 'interval') this.#due = clock.monotonic() + settings.intervalSeconds * 1000;
    }
    return 0;
  }

  #rest(): number {
    this.#due = null;
    [this.#waiting, this.#failures, this.#notBefore] = [false, 0, 0];
    this.#checker.forget();
    return WakefulLoop.untilWoken;
  }

  /**
   * Sets the baseline: mail that came while no gateway served is new. The watch begins with a check, so such mail is
   * found at once.
   */
  async #begin(): Promise<void> {
    try {
      await this.#checker.begin();
    } catch (error) {
      // The check at the end of the interval reports it.
      if (!isMailboxError(error)) throw error;
    }
  }

  #follow(end: InboxCheckEnd, intervalSeconds: number): void {
    this.#waiting = end.waiting;
    if (end.failed) this.#failed(intervalSeconds);
    if (end.again) this.#changed = true;
  }

  #failed(intervalSeconds: number): void {
    this.#failures += 1;
    this.counts.failures += 1;
    this.#notBefore = this.#parts.clock.monotonic() + pauseAfter(this.#failures, intervalSeconds);
  }

  /** Follows the notice under way: the agent counts as notified when it got the prompt, not when the prompt was queued. */
  async #followNotice(intervalSeconds: number): Promise<void> {
    const { book, queue, turnTable } = this.#parts;
    const { knownMail } = book;
    if (!knownMail?.underWay) return;
    const { requestId } = knownMail.underWay;
    const request = queue.rows.find(requestId);
    const end = noticeEnd(request, turnTable.ofRequest(requestId));
    if (end === 'under_way') return;
    if (end === 'failed') {
      await this.#checker.records.notDelivered(requestId, request?.error_detail ?? null);
      this.#failed(intervalSeconds);
      this.#waiting = true;
      return;
    }
    book.remember(noticeEnded(knownMail, { reached: end !== 'dropped' }));
    this.#failures = 0;
    if (end === 'dropped') this.#changed = true;
  }
}

/** The state that decides when the inbox is checked. Times are milliseconds of a monotonic clock. */
export interface WakeState {
  /** The end of the interval. */
  due: number;
  /** The mailbox has changed, or the agent may be free. */
  changed: boolean;
  /** Mail that is new to the agent waits until the agent is free. */
  waiting: boolean;
  /** The time at which waiting mail is checked again, whatever happens. */
  again: number;
  /** The time before which no change is followed, because the agent could not be notified a moment ago. */
  notBefore: number;
  /** A notice is on its way to the agent, and its outcome is awaited. */
  noticeUnderWay: boolean;
}

type NextCheck = { look: 'interval' | 'change' } | { sleep: number };

/** The longest sleep: a timer does not notice that a restore changed the settings, or that the machine slept. */
const longestSleep = 10_000;
/**
 * The interval of checks while mail waits or a notice is under way: not everything that makes an agent free is reported,
 * and nothing reports a prompt that was not delivered.
 */
const waitingMilliseconds = 1000;

/** Decides what to do at `now`. A sleep is above 0. Pure. */
export function nextCheck(
  { due, changed, waiting, again, notBefore, noticeUnderWay }: WakeState,
  now: number,
): NextCheck {
  if (now >= due) return { look: 'interval' };
  const wanted = changed ? notBefore : waiting ? Math.max(again, notBefore) : Number.POSITIVE_INFINITY;
  if (now >= wanted) return { look: 'change' };
  const longest = noticeUnderWay ? waitingMilliseconds : longestSleep;
  return { sleep: Math.min(due - now, wanted - now, longest) };
}

/**
 * Returns how long new mail waits after `failures` failed tries in a row: longer each time, and no longer than the
 * interval.
 */
export const pauseAfter = (failures: number, intervalSeconds: number): number =>
  Math.min(waitingMilliseconds * 2 ** (failures - 1), intervalSeconds * 1000);
