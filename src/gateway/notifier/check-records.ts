import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { promptPayload } from '../../dispatch/queue/request-rows.js';
import { type AxesSource, obstacleFor } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import { toSortedJson } from '../../foundation/json-text.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import { type ContextPlan, contextOutcome } from './context-plan.js';
import { auditOf, withoutRepeats } from './found-mail.js';
import { noticeEnded, noticeQueued } from './known-mail.js';
import type { RenderedNotices } from './notice-board.js';
import type { NotifierAudit, NotifierBook } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';
import { isLostMailbox } from './notifier-support.js';

export interface InboxCheckRecordsParts {
  book: NotifierBook;
  journal: Journal;
  axes: Pick<AxesSource, 'now'>;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
}

/** The record of checks that queued nothing, and of prompts that were not delivered. */
export class InboxCheckRecords {
  readonly #parts: InboxCheckRecordsParts;

  constructor(parts: InboxCheckRecordsParts) {
    this.#parts = parts;
  }

  /** Records a check that queued nothing, unless the settings were changed during it. */
  async checked(row: NotifierAudit, lastError: string | null = null): Promise<void> {
    const { book, journal } = this.#parts;
    await journal.write((atUtc) => {
      const { stored } = book;
      if (stored.settings !== row.settings) return;
      book.table.audit(withoutRepeats(row, stored.digest));
      book.replace(atUtc, { ...stored, digest: row.digest, lastError, lastPollAtUtc: row.pollTimeUtc });
    });
  }

  /**
   * Records a fault of the mailbox. A mailbox that is not the agent's any more switches the notifier off; any other fault
   * may pass.
   */
  async faulted(at: string, settings: NotifierSettings, error: Error): Promise<void> {
    const isLost = isLostMailbox(error);
    const { book, journal, axes, report } = this.#parts;
    const noted = await journal.write((atUtc) => {
      const { stored } = book;
      if (stored.settings !== settings) return false;
      const after = isLost ? { ...settings, enabled: false, intervalSeconds: null } : settings;
      const polled = isLost ? stored.lastPollAtUtc : at;
      book.replace(atUtc, { ...stored, settings: after, lastPollAtUtc: polled, lastError: error.message });
      book.table.audit({
        ...auditOf(at, settings, [], axes.now()),
        unreadCount: null,
        digest: null,
        outcome: 'poll_error',
        detail: error.message,
      });
      return true;
    });
    if (isLost && noted) report(`mail notifier disabled: ${error.message}`);
  }

  /** Records that the prompt under way should have been delivered and was not: its mail is still new to the agent. */
  async notDelivered(requestId: string, why: string | null): Promise<void> {
    const { book, journal } = this.#parts;
    const detail = `The prompt was not delivered: ${why ?? 'no reason is known.'}`;
    await journal.write((atUtc) => {
      const { stored, knownMail } = book;
      if (knownMail?.underWay?.requestId !== requestId) return;
      book.remember(noticeEnded(knownMail, { reached: false }));
      book.table.amendAudit(requestId, { outcome: 'enqueued', detail });
      book.replace(atUtc, { ...stored, lastError: detail });
    });
  }
}

/** A check of the inbox that found mail, oldest first. */
export interface InboxCheck {
  at: string;
  kind: 'interval' | 'change';
  settings: NotifierSettings;
  headings: MailHeading[];
  /** Whether the agent was not notified of some of it. */
  isNew: boolean;
}

export interface Notice {
  prompt: string;
  notices: RenderedNotices;
  plan: ContextPlan;
}

interface NoticeQueueParts extends Pick<DispatchParts, 'axes' | 'clock'> {
  book: NotifierBook;
  queue: RequestJournal;
}

/**
 * Queues a notice and records it, inside `Journal.write`.
 * @returns false where something came in between, or the settings changed; nothing is written then.
 */
export type QueueNotice = (atUtc: string, look: InboxCheck, notice: Notice) => boolean;

export function noticeQueue({ axes, book, queue, clock }: NoticeQueueParts): QueueNotice {
  return (atUtc, { at, settings, headings }, { prompt, notices, plan }) => {
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
  };
}
