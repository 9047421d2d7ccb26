import { WakefulLoop } from '../../foundation/concurrency.js';
import { reportAndGoOn } from '../../storage/storage-fault.js';
import type { TurnTable } from '../../turn/turn-table.js';
import type { ServedMailbox } from '../mail/session-mailbox.js';
import { type Inbox, MailWatch } from './inbox.js';
import { InboxLook, type InboxLookParts, type LookEnd } from './inbox-look.js';
import { isMailboxError } from './notifier-support.js';
import { noticeEnd, noticeEnded } from './told-mail.js';

// The loop looks into the agent's inbox and queues a prompt that tells of mail (docs/decisions.md#when-the-notifier-wakes):
//
//   off ──enabled──▶ waiting ──interval is over | mailbox changed──▶ looking ──nothing, or nothing new──▶ waiting
//                      ▲                                               │
//                      ├──────queued◀──may go───── at the gate ◀──mail─┘
//                      │         └──not delivered──▶ a pause, then looking
//                      └──at the next look, or as soon as the agent is free──┘ may not go
//
// Only an interval that is over wakes for mail that the agent was told of before.

const faultMilliseconds = 1000;

export interface NotifierLoopParts extends Omit<InboxLookParts, 'enough'> {
  mailbox: ServedMailbox;
  inbox: Inbox;
  turnTable: Pick<TurnTable, 'ofRequest'>;
}

export class NotifierLoop {
  readonly #parts: NotifierLoopParts;
  readonly #loop: WakefulLoop;
  readonly #watch: MailWatch;
  readonly #look: InboxLook;
  readonly #stopping = new AbortController();
  /** Of a monotonic clock, as all of these; null while it is off. */
  #due: number | null = null;
  #interval = 0;
  #changed = false;
  #waiting = false;
  #again = 0;
  #notBefore = 0;
  /** Tries in a row that should have told the agent and did not. */
  #failures = 0;

  constructor(parts: NotifierLoopParts) {
    this.#parts = parts;
    this.#look = new InboxLook({ ...parts, enough: this.#stopping.signal });
    this.#watch = new MailWatch({
      ...parts,
      isWanted: () => parts.book.stored.settings.enabled,
      changed: () => this.#mailboxChanged(),
    });
    const goOn = reportAndGoOn('the mail notifier', parts.report);
    this.#loop = new WakefulLoop({
      step: () => this.#step(),
      fault: (error) => {
        // A mailbox that cannot be read may be free the next time; the interval's look says when it is not.
        if (!isMailboxError(error)) goOn(error);
        return faultMilliseconds;
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** The settings have changed. */
  wake(): void {
    this.#loop.wake();
  }

  /** The agent may be free. */
  mayBeFree(): void {
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
    if (book.told === null) await this.#begin();
    await this.#followNotice(settings.intervalSeconds);
    const now = clock.monotonic();
    if (this.#due === null || this.#interval !== settings.intervalSeconds)
      this.#due = now + settings.intervalSeconds * 1000;
    this.#interval = settings.intervalSeconds;
    // The watch ends by itself when it sees the notifier off, which this loop may have missed.
    if (mailbox.obstacle === null) this.#watch.start();
    const next = nextLook(
      {
        due: this.#due,
        changed: this.#changed,
        waiting: this.#waiting,
        again: this.#again,
        notBefore: this.#notBefore,
        noticeUnderWay: book.told?.underWay != null,
      },
      now,
    );
    if ('sleep' in next) return next.sleep;
    const woken = { waiting: this.#waiting, changed: this.#changed };
    this.#changed = false;
    this.#again = now + waitingMilliseconds;
    try {
      this.#follow(await this.#look.look(next.look, settings, woken), settings.intervalSeconds);
    } catch (error) {
      // What woke this look is not forgotten with it.
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
    this.#look.forget();
    return WakefulLoop.untilWoken;
  }

  /** Mail that came while no gateway served is new. The watch, which begins with a look, has it found at once. */
  async #begin(): Promise<void> {
    try {
      await this.#look.begin();
    } catch (error) {
      // The look at the end of the interval tells of it.
      if (!isMailboxError(error)) throw error;
    }
  }

  #follow(end: LookEnd, intervalSeconds: number): void {
    this.#waiting = end.waiting;
    if (end.failed) this.#failed(intervalSeconds);
    if (end.again) this.#changed = true;
  }

  #failed(intervalSeconds: number): void {
    this.#failures += 1;
    this.#notBefore = this.#parts.clock.monotonic() + pauseAfter(this.#failures, intervalSeconds);
  }

  /** The agent counts as told when it was, and not when its prompt was queued. */
  async #followNotice(intervalSeconds: number): Promise<void> {
    const { book, queue, turnTable } = this.#parts;
    const { told } = book;
    if (!told?.underWay) return;
    const { requestId } = told.underWay;
    const request = queue.rows.find(requestId);
    const end = noticeEnd(request, turnTable.ofRequest(requestId));
    if (end === 'under_way') return;
    if (end === 'failed') {
      await this.#look.records.notDelivered(requestId, request?.error_detail ?? null);
      this.#failed(intervalSeconds);
      this.#waiting = true;
      return;
    }
    book.remember(noticeEnded(told, { told: end !== 'dropped' }));
    this.#failures = 0;
    if (end === 'dropped') this.#changed = true;
  }
}

/** When the inbox is to be looked at. Times are milliseconds of a monotonic clock. */
export interface WakeState {
  /** The interval is over then. */
  due: number;
  /** The mailbox has changed, or the agent may be free. */
  changed: boolean;
  /** Mail that is new to the agent waits for it to be free. */
  waiting: boolean;
  /** Mail that waits is looked at again then, whatever happens. */
  again: number;
  /** Earlier than that no change is followed: the agent could not be told a moment ago. */
  notBefore: number;
  /** A prompt is on its way to the agent, and what came of it is asked for. */
  noticeUnderWay: boolean;
}

type NextLook = { look: 'interval' | 'change' } | { sleep: number };

/** A timer does not notice that the settings were changed by a restore, or a machine that slept. */
const longestSleep = 10_000;
/** Not everything that makes an agent free tells of it, and nothing tells of a prompt that was not delivered. */
const waitingMilliseconds = 1000;

/** Pure: what to do at `now`. A sleep is above 0. */
export function nextLook(
  { due, changed, waiting, again, notBefore, noticeUnderWay }: WakeState,
  now: number,
): NextLook {
  if (now >= due) return { look: 'interval' };
  const wanted = changed ? notBefore : waiting ? Math.max(again, notBefore) : Number.POSITIVE_INFINITY;
  if (now >= wanted) return { look: 'change' };
  const longest = noticeUnderWay ? waitingMilliseconds : longestSleep;
  return { sleep: Math.min(due - now, wanted - now, longest) };
}

/** How long new mail waits after so many tries in a row that failed: ever longer, and no longer than the interval. */
export const pauseAfter = (failures: number, intervalSeconds: number): number =>
  Math.min(waitingMilliseconds * 2 ** (failures - 1), intervalSeconds * 1000);
