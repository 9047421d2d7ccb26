import type { AxesSource } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import { isLostMailbox } from '../mail/session-mailbox.js';
import { noticeEnded } from './inbox.js';
import { auditOf, type NotifierAudit, type NotifierBook } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';

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

/**
 * Removes the names of its mail from a row that queued nothing, where the row before has the same mail: mail that waits
 * for long would fill the disk with its subjects.
 * @param before the digest of the row before.
 */
const withoutRepeats = (row: NotifierAudit, before: string | null): NotifierAudit =>
  row.digest === before ? { ...row, summary: [] } : row;
