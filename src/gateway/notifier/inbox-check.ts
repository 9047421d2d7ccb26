import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { promptPayload } from '../../dispatch/queue/request-rows.js';
import { type Axes, allAxes, axesInWords, obstacleFor } from '../../dispatch/readiness.js';
import { toSecondStamp } from '../../foundation/clock.js';
import { toSortedJson } from '../../foundation/json-text.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import { isMailboxError } from '../mail/session-mailbox.js';
import { InboxCheckRecords } from './check-records.js';
import {
  type CompactParts,
  type ContextPlan,
  compactConversation,
  contextOutcome,
  contextPlan,
} from './context-plan.js';
import { type Inbox, isNewTo, noticeQueued, withoutGone } from './inbox.js';
import { auditOf, type NotifierBook } from './notifier-book.js';
import type { RenderedNotices } from './notifier-prompt.js';
import type { NotifierSettings } from './notifier-settings.js';

/** The number of newest messages that are checked after a change; older mail that comes back waits for the interval. */
const newestChecked = 200;

/** The work of the notifier since its start, in numbers. */
export interface NotifierCounts {
  polls: number;
  wakes: number;
  failures: number;
}

export interface InboxCheckerParts extends Pick<DispatchParts, 'journal'>, CompactParts {
  book: NotifierBook;
  queue: RequestJournal;
  inbox: Inbox;
  counts: NotifierCounts;
  /** Returns the prompt for these notices. */
  prompt: (settings: NotifierSettings, notices: RenderedNotices) => string;
  /** Called when a request was queued. */
  wakeWorker: () => void;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
  /** Ends long waits. */
  enough: AbortSignal;
}

/** A check of the inbox that found mail, oldest first. */
interface InboxCheck {
  at: string;
  kind: 'interval' | 'change';
  settings: NotifierSettings;
  headings: MailHeading[];
  /** Whether the agent was not notified of some of it. */
  isNew: boolean;
}

interface Notice {
  prompt: string;
  notices: RenderedNotices;
  plan: ContextPlan;
}

/** The work that remains after a check. */
export interface InboxCheckEnd {
  /** Mail that is new to the agent waits until the agent is free. */
  waiting: boolean;
  /** The agent should have been notified and could not be; this is not tried again at once. */
  failed: boolean;
  /** Something came in between, or is not checked yet: check again at once. */
  again: boolean;
}

const nothingLeft: InboxCheckEnd = { waiting: false, failed: false, again: false };

/** The checks of the inbox, one after the other: each finds mail, asks whether the agent is free, and queues the prompt. */
export class InboxChecker {
  readonly records: InboxCheckRecords;
  readonly #parts: InboxCheckerParts;
  /** The instance of the agent whose conversation was compacted for a prompt that is not queued yet; null for none. */
  #compactedEpoch: number | null = null;

  constructor(parts: InboxCheckerParts) {
    this.#parts = parts;
    this.records = new InboxCheckRecords(parts);
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
  async check(
    kind: InboxCheck['kind'],
    settings: NotifierSettings,
    { waiting, changed }: { waiting: boolean; changed: boolean },
  ): Promise<InboxCheckEnd> {
    const { clock, counts } = this.#parts;
    const at = toSecondStamp(clock.now());
    counts.polls += 1;
    try {
      if (kind === 'interval') return await this.#ofInterval(at, settings);
      // A large inbox is not read again for each message that comes or goes.
      if (waiting && obstacleFor('notifier', await this.#parts.axes.current()))
        return { ...nothingLeft, waiting };
      const newest = await this.#find({ at, kind, settings }, newestChecked);
      if (!newest.isNew) return nothingLeft;
      const look = await this.#find({ at, kind, settings });
      return look.isNew ? await this.#notify(look) : nothingLeft;
    } catch (error) {
      counts.failures += 1;
      if (kind === 'change' || !isMailboxError(error)) throw error;
      await this.records.faulted(at, settings, error);
      return { waiting, failed: false, again: changed };
    }
  }

  async #ofInterval(at: string, settings: NotifierSettings): Promise<InboxCheckEnd> {
    const { book, inbox, axes } = this.#parts;
    const look = await this.#find({ at, kind: 'interval', settings });
    const whole = settings.mode === 'any_inbox' ? look : await inbox.page({ mode: 'any_inbox' });
    if (book.knownMail?.mailbox === whole.mailbox) book.remember(withoutGone(book.knownMail, whole.headings));
    if (look.headings.length > 0) return this.#notify(look);
    await this.records.checked(auditOf(at, settings, [], axes.now()));
    return nothingLeft;
  }

  /** Finds mail. Mail that was in a mailbox before the agent was given it counts as known to the agent. */
  async #find(
    look: Pick<InboxCheck, 'at' | 'kind' | 'settings'>,
    limit: number | null = null,
  ): Promise<InboxCheck & { mailbox: string }> {
    const { book, inbox } = this.#parts;
    const { mailbox, headings } = await inbox.page(look.settings, limit);
    if (book.knownMail !== null && book.knownMail.mailbox !== mailbox)
      book.remember(await inbox.baselineOfBinding());
    else if (book.knownMail === null) await this.begin();
    const { knownMail } = book;
    return {
      ...look,
      mailbox,
      headings,
      isNew: knownMail !== null && headings.some(({ key }) => isNewTo(knownMail, key)),
    };
  }

  async #notify(look: InboxCheck): Promise<InboxCheckEnd> {
    const { axes, counts, wakeWorker } = this.#parts;
    const before = await axes.current();
    const fresh = obstacleFor('notifier', before) ? before : await axes.observe();
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
    counts.wakes += 1;
    wakeWorker();
    return nothingLeft;
  }

  async #queue(look: InboxCheck, plan: ContextPlan): Promise<boolean> {
    const { inbox, journal, prompt } = this.#parts;
    const notices = await inbox.notices(look.headings, look.settings.notices);
    const notice = { prompt: prompt(look.settings, notices), notices, plan };
    return journal.write((atUtc) => this.#queueNotice(atUtc, look, notice));
  }

  /**
   * Puts a notice into the queue and records it, inside `Journal.write`.
   * @returns false where something came in between, or the settings changed; nothing is written then.
   */
  #queueNotice(
    atUtc: string,
    { at, settings, headings }: InboxCheck,
    { prompt, notices, plan }: Notice,
  ): boolean {
    const { axes, book, queue, clock } = this.#parts;
    const now = axes.now();
    if (book.stored.settings !== settings || obstacleFor('notifier', now)) return false;
    const session = plan.clear ? ({ mode: 'new' } as const) : null;
    const payload = promptPayload({ prompt, turn_id: null, chat_session: session, execution: null });
    const row = {
      kind: 'mail_notifier_prompt',
      payloadJson: toSortedJson(payload),
      acceptedAtUtc: atUtc,
      epoch: now.epoch,
    } as const;
    const requestId = queue.acceptNew(row, clock.now());
    const found = auditOf(at, settings, headings, now);
    book.replace(atUtc, {
      settings,
      lastPollAtUtc: at,
      lastNotificationAtUtc: at,
      lastError: null,
      digest: found.digest,
    });
    const context = { contextOutcome: contextOutcome(plan), degraded: plan.degraded };
    book.table.audit({ ...found, ...context, outcome: 'enqueued', requestId, notices: notices.entries });
    if (book.knownMail) book.remember(noticeQueued(book.knownMail, requestId, headings));
    return true;
  }

  /** Compacts the conversation where the settings say so, once for each prompt that is queued. */
  async #prepare(
    look: InboxCheck,
  ): Promise<{ look: InboxCheck; plan: ContextPlan } | { end: InboxCheckEnd }> {
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

  async #noteUnprepared(look: InboxCheck, { degraded }: ContextPlan, detail: string): Promise<InboxCheckEnd> {
    const found = auditOf(look.at, look.settings, look.headings, this.#parts.axes.now());
    const outcome = { outcome: 'pre_notification_context_error', detail } as const;
    const tokens = { contextOutcome: 'pre_notification_compact_failed', degraded };
    await this.records.checked({ ...found, ...outcome, ...tokens }, detail);
    return { ...nothingLeft, waiting: look.isNew, failed: true };
  }

  /** Postpones the notice: until the agent is free if the mail is new to it, otherwise to the end of the next interval. */
  async #hold({ at, kind, settings, headings, isNew }: InboxCheck, axes: Axes): Promise<InboxCheckEnd> {
    if (kind === 'interval') {
      const words = axesInWords(axes, allAxes);
      const detail = `${obstacleFor('notifier', axes)?.detail ?? words} (${words})`;
      await this.records.checked({
        ...auditOf(at, settings, headings, axes),
        outcome: 'busy_skip',
        detail,
      });
    }
    return { ...nothingLeft, waiting: isNew };
  }
}
