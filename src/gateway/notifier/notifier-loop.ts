import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import { type Axes, allAxes, axesInWords, obstacleFor } from '../../dispatch/readiness.js';
import { toSecondStamp } from '../../foundation/timestamps.js';
import { WakefulLoop } from '../../foundation/wakeful-loop.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import { reportAndGoOn } from '../../storage/unless-storage.js';
import type { SessionMailbox } from '../mail/session-mailbox.js';
import type { RequestJournal } from '../requests/request-journal.js';
import { type CompactParts, compactConversation } from './compact-conversation.js';
import { type ContextPlan, contextPlan } from './context-plan.js';
import { auditOf, oldestFirst, queryOf, refsOf } from './found-mail.js';
import { isMailboxError, MailWatch } from './mail-watch.js';
import type { NotifierBook } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';
import { isLostMailbox } from './notifier-support.js';
import type { NotifierAudit } from './notifier-table.js';
import { type Look, noticeQueue, type QueueNotice } from './queue-notice.js';
import { type RenderedNotices, renderNotices } from './render-notices.js';

// The loop looks into the agent's inbox and queues a prompt that tells of mail (docs/decisions.md#when-the-notifier-wakes):
//
//   off ──enabled──▶ waiting ──interval is over | mailbox changed──▶ looking ──nothing, or nothing new──▶ waiting
//                      ▲                                               │
//                      ├──────queued◀──may go───── at the gate ◀──mail─┘
//                      └──at the next look, or as soon as the agent is free──┘ may not go
//
// Only an interval that is over wakes for mail that the agent was told of before.

/** A timer does not notice that the settings were changed by a restore, or a machine that slept. */
const longestSleep = 10_000;
const faultMilliseconds = 1000;
/** Not everything that makes an agent free tells of it. */
const waitingMilliseconds = 1000;
/** Of the newest mail, so much is looked at after a change; older mail that comes back waits for the interval. */
const newestLooked = 200;

export interface NotifierLoopParts extends Pick<DispatchParts, 'journal'>, CompactParts {
  book: NotifierBook;
  queue: RequestJournal;
  mailbox: SessionMailbox;
  /** The prompt for these notices. */
  prompt: (settings: NotifierSettings, notices: RenderedNotices) => string;
  /** A request was queued. */
  wakeWorker: () => void;
  /** Called with faults that must not stay silent. */
  report: (fault: string) => void;
}

export class NotifierLoop {
  readonly #parts: NotifierLoopParts;
  readonly #loop: WakefulLoop;
  readonly #watch: MailWatch;
  readonly #queueNotice: QueueNotice;
  /** Of a monotonic clock; null while it is off. */
  #due: number | null = null;
  #interval = 0;
  #changed = false;
  /** New mail waits for the agent to be free, which is asked again at that moment. */
  #waiting = false;
  #again = 0;
  /** What the agent was told of, or what was there before; null where that could not be read yet. */
  #known: ReadonlySet<string> | null = null;

  constructor(parts: NotifierLoopParts) {
    this.#parts = parts;
    this.#queueNotice = noticeQueue(parts);
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
    await this.#loop.stop();
    await this.#watch.stop();
  }

  /** Why a prompt that was queued need not go any more; null while it should (docs/decisions.md#stale-notices). */
  async outdated(): Promise<string | null> {
    const { settings } = this.#parts.book.stored;
    if (!settings.enabled) return 'The notifier was switched off before the prompt went out.';
    try {
      const headings = await this.#headings(settings, 1);
      return headings.length > 0 ? null : 'The mail was gone from the inbox before the prompt went out.';
    } catch (error) {
      // The agent will see for itself.
      if (isLostMailbox(error)) return "The mailbox is not the agent's any more.";
      if (isMailboxError(error)) return null;
      throw error;
    }
  }

  /** @returns how many milliseconds to sleep. */
  async #step(): Promise<number> {
    const { clock, book } = this.#parts;
    const { enabled, intervalSeconds } = book.stored.settings;
    if (!enabled || intervalSeconds === null) {
      this.#due = null;
      return WakefulLoop.untilWoken;
    }
    const now = clock.monotonic();
    if (this.#due === null) await this.#begin();
    if (this.#due === null || this.#interval !== intervalSeconds) this.#due = now + intervalSeconds * 1000;
    this.#interval = intervalSeconds;
    // The watch ends by itself when it sees the notifier off, which this loop may have missed.
    this.#watch.start();
    const isOver = now >= this.#due;
    const isTime = isOver || this.#changed || (this.#waiting && now >= this.#again);
    if (!isTime)
      return Math.min(this.#due - now, this.#waiting ? this.#again - now : longestSleep, longestSleep);
    this.#changed = false;
    this.#again = now + waitingMilliseconds;
    try {
      await this.#look(isOver ? 'interval' : 'change', book.stored.settings);
    } catch (error) {
      // What woke this look is not forgotten with it.
      this.#changed = true;
      throw error;
    } finally {
      if (isOver) this.#due = clock.monotonic() + intervalSeconds * 1000;
    }
    return 0;
  }

  /** What is in the inbox already waits for the first interval. */
  async #begin(): Promise<void> {
    const { settings } = this.#parts.book.stored;
    this.#known = null;
    await this.#hasNew(settings).catch(unlessMailbox);
    this.#watch.start();
  }

  async #look(kind: Look['kind'], settings: NotifierSettings): Promise<void> {
    const at = toSecondStamp(this.#parts.clock.now());
    let headings: MailHeading[];
    try {
      // A large inbox is not read anew for each message that comes or goes.
      if (kind === 'change' && this.#waiting && obstacleFor('notifier', await this.#parts.axes.current()))
        return;
      if (kind === 'change' && !(await this.#hasNew(settings))) {
        this.#waiting = false;
        return;
      }
      headings = await this.#headings(settings);
    } catch (error) {
      if (!isMailboxError(error)) throw error;
      if (kind === 'change') throw error;
      return this.#note(at, settings, error);
    }
    const known = this.#known ?? refsOf(headings);
    const isNew = headings.some(({ ref }) => !known.has(ref));
    if (headings.length === 0) return this.#noteEmpty(at, settings);
    await this.#notify({ at, kind, settings, headings, isNew });
  }

  async #notify(look: Look): Promise<void> {
    const { axes, journal, mailbox, wakeWorker } = this.#parts;
    const before = await axes.current();
    const fresh = obstacleFor('notifier', before) ? before : await axes.look();
    if (obstacleFor('notifier', fresh)) return this.#hold(look, fresh);
    const plan = await this.#prepare(look);
    if (plan === null) return;
    const { messages } = await mailbox.use(({ transport }) => transport.list(queryOf(look.settings)));
    const notices = renderNotices(oldestFirst(messages), look.settings.notices);
    const prompt = this.#parts.prompt(look.settings, notices);
    const queued = await journal.write((atUtc) => this.#queueNotice(atUtc, look, { prompt, notices, plan }));
    if (!queued) {
      const obstructed = axes.now();
      // The settings were changed, or what came in between is gone again.
      if (obstacleFor('notifier', obstructed) === null) this.#changed = true;
      return this.#hold(look, obstructed);
    }
    this.#known = refsOf(look.headings);
    this.#waiting = false;
    wakeWorker();
  }

  /** Compacts the conversation where that is wanted. @returns null where it failed, which is noted. */
  async #prepare({ at, settings, headings }: Look): Promise<ContextPlan | null> {
    const { axes, target } = this.#parts;
    const plan = contextPlan(settings, target.terminal);
    const failed = plan.compact ? await compactConversation(this.#parts) : null;
    if (failed === null) return plan.compact ? contextPlan(settings, target.terminal) : plan;
    const found = auditOf(at, settings, headings, axes.now());
    const outcome = { outcome: 'pre_notification_context_error', detail: failed } as const;
    const tokens = { contextOutcome: 'pre_notification_compact_failed', degraded: plan.degraded };
    await this.#write({ ...found, ...outcome, ...tokens }, failed);
    return null;
  }

  /** The agent is told as soon as it is free, if the mail is new to it, and else at the end of the next interval. */
  async #hold(look: Look, axes: Axes): Promise<void> {
    const { at, kind, settings, headings } = look;
    this.#waiting = look.isNew;
    if (kind === 'change') return;
    const words = axesInWords(axes, allAxes);
    const detail = obstacleFor('notifier', axes)?.detail ?? words;
    await this.#write({
      ...auditOf(at, settings, headings, axes),
      ...{ outcome: 'busy_skip', detail: `${detail} (${words})` },
    });
  }

  async #noteEmpty(at: string, settings: NotifierSettings): Promise<void> {
    this.#known = new Set();
    this.#waiting = false;
    const axes = this.#parts.axes.now();
    await this.#write(auditOf(at, settings, [], axes));
  }

  /** A mailbox that is not the agent's any more switches the notifier off; any other fault may pass. */
  async #note(at: string, settings: NotifierSettings, error: Error): Promise<void> {
    const isLost = isLostMailbox(error);
    const { book, journal, report } = this.#parts;
    await journal.write((atUtc) => {
      const { stored } = book;
      if (stored.settings !== settings) return;
      const after = isLost ? { ...settings, enabled: false, intervalSeconds: null } : settings;
      const polled = isLost ? stored.lastPollAtUtc : at;
      book.replace(atUtc, { ...stored, settings: after, lastPollAtUtc: polled, lastError: error.message });
      book.table.audit({
        ...auditOf(at, settings, [], this.#parts.axes.now()),
        ...{ unreadCount: null, digest: null, outcome: 'poll_error', detail: error.message },
      });
    });
    if (isLost) report(`mail notifier disabled: ${error.message}`);
  }

  /** Notes a look that queued nothing, unless the settings were changed during it. */
  async #write(row: NotifierAudit, lastError: string | null = null): Promise<void> {
    const { book, journal } = this.#parts;
    await journal.write((atUtc) => {
      const { stored } = book;
      if (stored.settings !== row.settings) return;
      book.replace(atUtc, { ...stored, digest: row.digest, lastError, lastPollAtUtc: row.pollTimeUtc });
      book.table.audit(row);
    });
  }

  async #hasNew(settings: NotifierSettings): Promise<boolean> {
    this.#known ??= refsOf(await this.#headings(settings));
    const known = this.#known;
    const newest = await this.#headings(settings, newestLooked);
    return newest.some(({ ref }) => !known.has(ref));
  }

  #headings(settings: NotifierSettings, limit: number | null = null): Promise<MailHeading[]> {
    return this.#parts.mailbox.use(async ({ transport }) =>
      oldestFirst(await transport.headings({ ...queryOf(settings), limit })),
    );
  }
}

/** The look at the end of the interval tells of it. */
function unlessMailbox(error: unknown): void {
  if (!isMailboxError(error)) throw error;
}
