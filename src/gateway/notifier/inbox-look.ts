import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { type Axes, allAxes, axesInWords, obstacleFor } from '../../dispatch/readiness.js';
import { toSecondStamp } from '../../foundation/timestamps.js';
import { type CompactParts, type ContextPlan, compactConversation, contextPlan } from './context-plan.js';
import { auditOf } from './found-mail.js';
import type { Inbox } from './inbox.js';
import { type Look, LookRecords, noticeQueue, type QueueNotice } from './look-records.js';
import type { RenderedNotices } from './notice-board.js';
import type { NotifierBook } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';
import { isMailboxError } from './notifier-support.js';
import { isNewTo, withoutGone } from './told-mail.js';

/** The number of newest messages that are checked after a change; older mail that comes back waits for the interval. */
const newestLooked = 200;

export interface InboxLookParts extends Pick<DispatchParts, 'journal'>, CompactParts {
  book: NotifierBook;
  queue: RequestJournal;
  inbox: Inbox;
  /** Returns the prompt for these notices. */
  prompt: (settings: NotifierSettings, notices: RenderedNotices) => string;
  /** Called when a request was queued. */
  wakeWorker: () => void;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
  /** Ends long waits. */
  enough: AbortSignal;
}

/** The work that remains after a check. */
export interface LookEnd {
  /** Mail that is new to the agent waits until the agent is free. */
  waiting: boolean;
  /** The agent should have been notified and could not be; this is not tried again at once. */
  failed: boolean;
  /** Something came in between, or is not checked yet: check again at once. */
  again: boolean;
}

const nothingLeft: LookEnd = { waiting: false, failed: false, again: false };

/** The checks of the inbox, one after the other: each finds mail, asks whether the agent is free, and queues the prompt. */
export class InboxLook {
  readonly records: LookRecords;
  readonly #parts: InboxLookParts;
  readonly #queueNotice: QueueNotice;
  /** The instance of the agent whose conversation was compacted for a prompt that is not queued yet; null for none. */
  #compactedEpoch: number | null = null;

  constructor(parts: InboxLookParts) {
    this.#parts = parts;
    this.records = new LookRecords(parts);
    this.#queueNotice = noticeQueue(parts);
  }

  /** Sets the baseline of a gateway that has started: mail since the last notice is new. A `PUT` sets its own baseline. */
  async begin(): Promise<void> {
    const { book, inbox } = this.#parts;
    book.remember(await inbox.baselineOfStart(book.stored.lastNotificationAtUtc));
  }

  /** Forgets the compaction, because the notifier is off. */
  forget(): void {
    this.#compactedEpoch = null;
  }

  /**
   * @param woken what caused the check: `waiting` when new mail is known to wait, `changed` when something has changed.
   * @throws the error of the mailbox at a check after a change; at the end of an interval that error is recorded instead.
   */
  async look(
    kind: Look['kind'],
    settings: NotifierSettings,
    { waiting, changed }: { waiting: boolean; changed: boolean },
  ): Promise<LookEnd> {
    const at = toSecondStamp(this.#parts.clock.now());
    try {
      if (kind === 'interval') return await this.#ofInterval(at, settings);
      // A large inbox is not read again for each message that comes or goes.
      if (waiting && obstacleFor('notifier', await this.#parts.axes.current()))
        return { ...nothingLeft, waiting };
      const newest = await this.#find({ at, kind, settings }, newestLooked);
      if (!newest.isNew) return nothingLeft;
      const look = await this.#find({ at, kind, settings });
      return look.isNew ? await this.#notify(look) : nothingLeft;
    } catch (error) {
      if (kind === 'change' || !isMailboxError(error)) throw error;
      await this.records.faulted(at, settings, error);
      return { waiting, failed: false, again: changed };
    }
  }

  async #ofInterval(at: string, settings: NotifierSettings): Promise<LookEnd> {
    const { book, inbox, axes } = this.#parts;
    const look = await this.#find({ at, kind: 'interval', settings });
    const whole = settings.mode === 'any_inbox' ? look : await inbox.page({ mode: 'any_inbox' });
    if (book.told?.mailbox === whole.mailbox) book.remember(withoutGone(book.told, whole.headings));
    if (look.headings.length > 0) return this.#notify(look);
    await this.records.looked(auditOf(at, settings, [], axes.now()));
    return nothingLeft;
  }

  /** Finds mail. Mail that was in a mailbox before the agent was given it counts as known to the agent. */
  async #find(
    look: Pick<Look, 'at' | 'kind' | 'settings'>,
    limit: number | null = null,
  ): Promise<Look & { mailbox: string }> {
    const { book, inbox } = this.#parts;
    const { mailbox, headings } = await inbox.page(look.settings, limit);
    if (book.told !== null && book.told.mailbox !== mailbox) book.remember(await inbox.baselineOfBinding());
    else if (book.told === null) await this.begin();
    const { told } = book;
    return {
      ...look,
      mailbox,
      headings,
      isNew: told !== null && headings.some(({ key }) => isNewTo(told, key)),
    };
  }

  async #notify(look: Look): Promise<LookEnd> {
    const { axes, wakeWorker } = this.#parts;
    const before = await axes.current();
    const fresh = obstacleFor('notifier', before) ? before : await axes.look();
    if (obstacleFor('notifier', fresh)) return this.#hold(look, fresh);
    const prepared = await this.#prepare(look);
    if ('end' in prepared) return prepared.end;
    const queued = await this.#queue(prepared.look, prepared.plan);
    if (!queued) {
      const obstructed = axes.now();
      const held = await this.#hold(prepared.look, obstructed);
      // The settings were changed, or the obstacle is gone again.
      return { ...held, again: obstacleFor('notifier', obstructed) === null };
    }
    this.#compactedEpoch = null;
    wakeWorker();
    return nothingLeft;
  }

  async #queue(look: Look, plan: ContextPlan): Promise<boolean> {
    const { inbox, journal, prompt } = this.#parts;
    const notices = await inbox.notices(look.headings, look.settings.notices);
    const notice = { prompt: prompt(look.settings, notices), notices, plan };
    return journal.write((atUtc) => this.#queueNotice(atUtc, look, notice));
  }

  /** Compacts the conversation where the settings say so, once for each prompt that is queued. */
  async #prepare(look: Look): Promise<{ look: Look; plan: ContextPlan } | { end: LookEnd }> {
    const { axes, target, enough } = this.#parts;
    const plan = contextPlan(look.settings, target.terminal);
    if (!plan.compact || this.#compactedEpoch === axes.now().epoch) return { look, plan };
    const compaction = await compactConversation(this.#parts, enough);
    if (compaction.end === 'done' || compaction.end === 'unready') this.#compactedEpoch = axes.now().epoch;
    if (enough.aborted) return { end: nothingLeft };
    if (compaction.end === 'not_begun') return { end: await this.#hold(look, axes.now()) };
    if (compaction.end !== 'done') return { end: await this.#noteUnprepared(look, plan, compaction.detail) };
    // The compaction took a while, so the mail is read again.
    const later = await this.#find(look);
    if (later.headings.length === 0 || (look.kind === 'change' && !later.isNew)) return { end: nothingLeft };
    return { look: later, plan: contextPlan(look.settings, target.terminal) };
  }

  async #noteUnprepared(look: Look, { degraded }: ContextPlan, detail: string): Promise<LookEnd> {
    const found = auditOf(look.at, look.settings, look.headings, this.#parts.axes.now());
    const outcome = { outcome: 'pre_notification_context_error', detail } as const;
    const tokens = { contextOutcome: 'pre_notification_compact_failed', degraded };
    await this.records.looked({ ...found, ...outcome, ...tokens }, detail);
    return { ...nothingLeft, waiting: look.isNew, failed: true };
  }

  /** Postpones the notice: until the agent is free if the mail is new to it, otherwise to the end of the next interval. */
  async #hold({ at, kind, settings, headings, isNew }: Look, axes: Axes): Promise<LookEnd> {
    if (kind === 'interval') {
      const words = axesInWords(axes, allAxes);
      const detail = `${obstacleFor('notifier', axes)?.detail ?? words} (${words})`;
      await this.records.looked({
        ...auditOf(at, settings, headings, axes),
        outcome: 'busy_skip',
        detail,
      });
    }
    return { ...nothingLeft, waiting: isNew };
  }
}
