import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import type { Reminder } from './reminder.js';
import type { ReminderBook } from './reminder-book.js';
import * as events from './reminder-events.js';
import { findReminder } from './reminder-set.js';

/** The time in which `gateway.log` gets at most one line about the deferrals of a reminder. */
const logMilliseconds = 30_000;

interface Waiting {
  dueAt: number;
  /** Reasons whose event was written. */
  reasons: Set<string>;
  loggedAt: number;
  suppressed: number;
  lastReason: string;
}

/** The due reminders that have to wait: one event for each new reason, one log line per half minute. */
export class Deferrals {
  readonly #journal: Journal;
  readonly #book: ReminderBook;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(journal: Journal, book: ReminderBook, clock: Clock) {
    this.#journal = journal;
    this.#book = book;
    this.#clock = clock;
  }

  async note(reminder: Reminder, reason: string): Promise<void> {
    for (const id of this.#waiting.keys()) if (!findReminder(this.#book.set, id)) this.#waiting.delete(id);
    const now = this.#clock.monotonic();
    const known = this.#waiting.get(reminder.id);
    const waiting: Waiting =
      known?.dueAt === reminder.dueAt
        ? known
        : {
            dueAt: reminder.dueAt,
            reasons: new Set(),
            loggedAt: Number.NEGATIVE_INFINITY,
            suppressed: 0,
            lastReason: reason,
          };
    const isNew = !waiting.reasons.has(reason);
    const logs = now - waiting.loggedAt >= logMilliseconds;
    if (isNew || logs) {
      await this.#journal.write((atUtc) => {
        if (isNew) this.#journal.event(atUtc, events.deferred(reminder, reason));
        if (logs) this.#journal.event(atUtc, events.deferralLogged(reminder, reason, waiting.suppressed));
      });
    }
    waiting.reasons.add(reason);
    waiting.lastReason = reason;
    waiting.suppressed = logs ? 0 : waiting.suppressed + 1;
    if (logs) waiting.loggedAt = now;
    this.#waiting.set(reminder.id, waiting);
  }

  /** Forgets a reminder that no longer waits. */
  forget(reminderId: string): void {
    this.#waiting.delete(reminderId);
  }

  /** Logs how many lines were suppressed so far. */
  async flush(): Promise<void> {
    const unlogged = [...this.#waiting].filter(([, { suppressed }]) => suppressed > 0);
    this.#waiting.clear();
    if (unlogged.length === 0) return;
    await this.#journal.write((atUtc) => {
      for (const [id, { lastReason, suppressed }] of unlogged) {
        const reminder = findReminder(this.#book.set, id);
        if (reminder) this.#journal.event(atUtc, events.deferralLogged(reminder, lastReason, suppressed));
      }
    });
  }
}
