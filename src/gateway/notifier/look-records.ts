import type { AxesSource } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import { auditOf, withoutRepeats } from './found-mail.js';
import type { NotifierBook } from './notifier-book.js';
import type { NotifierSettings } from './notifier-settings.js';
import { isLostMailbox } from './notifier-support.js';
import type { NotifierAudit } from './notifier-table.js';
import { noticeEnded } from './told-mail.js';

export interface LookRecordsParts {
  book: NotifierBook;
  journal: Journal;
  axes: Pick<AxesSource, 'now'>;
  /** Called with faults that must not stay silent. */
  report: (fault: string) => void;
}

/** Writes down what came of looks that queued nothing, and of prompts that did not go out. */
export class LookRecords {
  readonly #parts: LookRecordsParts;

  constructor(parts: LookRecordsParts) {
    this.#parts = parts;
  }

  /** A look that queued nothing, unless the settings were changed during it. */
  async looked(row: NotifierAudit, lastError: string | null = null): Promise<void> {
    const { book, journal } = this.#parts;
    await journal.write((atUtc) => {
      const { stored } = book;
      if (stored.settings !== row.settings) return;
      book.table.audit(withoutRepeats(row, stored.digest));
      book.replace(atUtc, { ...stored, digest: row.digest, lastError, lastPollAtUtc: row.pollTimeUtc });
    });
  }

  /** A mailbox that is not the agent's any more switches the notifier off; any other fault may pass. */
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
        ...{ unreadCount: null, digest: null, outcome: 'poll_error', detail: error.message },
      });
      return true;
    });
    if (isLost && noted) report(`mail notifier disabled: ${error.message}`);
  }

  /** The prompt under way should have gone out and did not: its mail is new to the agent still. */
  async notDelivered(requestId: string, why: string | null): Promise<void> {
    const { book, journal } = this.#parts;
    const detail = `The prompt was not delivered: ${why ?? 'no reason is known.'}`;
    await journal.write((atUtc) => {
      const { stored, told } = book;
      if (told?.underWay?.requestId !== requestId) return;
      book.remember(noticeEnded(told, { told: false }));
      book.table.amendAudit(requestId, { outcome: 'enqueued', detail });
      book.replace(atUtc, { ...stored, lastError: detail });
    });
  }
}
