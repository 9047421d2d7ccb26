import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { obstacleFor } from '../../dispatch/readiness.js';
import { requestIds } from '../../foundation/ids.js';
import type { MailHeading } from '../../mail/transport/mail-transport.js';
import { type ContextPlan, contextOutcome } from './context-plan.js';
import { auditOf } from './found-mail.js';
import type { RenderedNotices } from './notice-board.js';
import type { NotifierBook } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';
import { noticeQueued } from './told-mail.js';

/** One look into the inbox that found mail, the oldest first. */
export interface Look {
  at: string;
  kind: 'interval' | 'change';
  settings: NotifierSettings;
  headings: MailHeading[];
  /** The agent was not told of some of it. */
  isNew: boolean;
}

export interface Notice {
  prompt: string;
  notices: RenderedNotices;
  plan: ContextPlan;
}

export interface NoticeQueueParts extends Pick<DispatchParts, 'axes' | 'clock'> {
  book: NotifierBook;
  queue: RequestJournal;
}

/**
 * Queues a notice and notes it, inside `Journal.write`.
 * @returns false where something came in between, or the settings changed; nothing is written then.
 */
export type QueueNotice = (atUtc: string, look: Look, notice: Notice) => boolean;

const maxIdDraws = 20;

export function noticeQueue({ axes, book, queue, clock }: NoticeQueueParts): QueueNotice {
  const newId = requestIds();
  const accept = (row: Omit<Parameters<RequestJournal['accept']>[0], 'requestId'>): string => {
    for (let draw = 0; draw < maxIdDraws; draw += 1) {
      const requestId = newId(clock.now());
      if (queue.accept({ ...row, requestId })) return requestId;
    }
    throw new Error('No free request id was found.');
  };
  return (atUtc, { at, settings, headings }, { prompt, notices, plan }) => {
    const now = axes.now();
    if (book.stored.settings !== settings || obstacleFor('notifier', now)) return false;
    const session = plan.clear ? { mode: 'new' } : null;
    const payload = { prompt, turn_id: null, chat_session: session, execution: null };
    const requestId = accept({
      ...{ kind: 'mail_notifier_prompt', payloadJson: JSON.stringify(payload) },
      ...{ acceptedAtUtc: atUtc, epoch: now.epoch },
    });
    const found = auditOf(at, settings, headings, now);
    book.replace(atUtc, {
      ...{ settings, lastPollAtUtc: at, lastNotificationAtUtc: at, lastError: null, digest: found.digest },
    });
    const context = { contextOutcome: contextOutcome(plan), degraded: plan.degraded };
    book.table.audit({ ...found, ...context, outcome: 'enqueued', requestId, notices: notices.entries });
    if (book.told) book.remember(noticeQueued(book.told, requestId, headings));
    return true;
  };
}
