import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { newReminderId } from '../../foundation/ids.js';
import { newReminder, type Reminder, type ReminderDefinition, redefined } from './reminder.js';
import type { ReminderBook } from './reminder-book.js';
import * as events from './reminder-events.js';
import { deleted, excessOf, findReminder, inOrder, type ReminderSet, withReminder } from './reminder-set.js';
import { effectiveOf } from './selection.js';

/** A reminder at one moment, in milliseconds since 1970, and the one that is effective then. */
export interface Seen {
  reminder: Reminder;
  effective: Reminder | null;
  now: number;
}
/** Several of them at one moment, in the order in which they are shown. */
export interface Listing {
  shown: ReminderSet;
  effective: Reminder | null;
  now: number;
}

export interface ReminderServiceParts {
  journal: Journal;
  book: ReminderBook;
  clock: Clock;
  /** Called when the set has changed: another reminder may be due. */
  wakeLoop: () => void;
}

/**
 * The reminders of this process (docs/decisions.md#reminders-in-memory). They live in memory; their events are on disk
 * before a change is answered, and a change whose events cannot be written is undone.
 */
export class ReminderService {
  readonly #parts: ReminderServiceParts;

  constructor(parts: ReminderServiceParts) {
    this.#parts = parts;
  }

  list(): Listing {
    return this.#listing(inOrder(this.#set));
  }

  get(id: string): Seen | null {
    const found = findReminder(this.#set, id);
    return found && { reminder: found, effective: effectiveOf(this.#set), now: this.#now() };
  }

  /** Adds all of them, or none when they would be too many. */
  async create(definitions: readonly ReminderDefinition[]): Promise<Listing | { refusal: string }> {
    const { journal, book } = this.#parts;
    const now = this.#now();
    const added = definitions.map((definition) => newReminder(newReminderId(), definition, now));
    const refusal = await this.#change((atUtc) => {
      const all = [...book.set, ...added];
      const excess = excessOf(all);
      if (excess !== null) return excess;
      book.replace(all);
      for (const reminder of added) journal.event(atUtc, events.registered(reminder));
      return null;
    });
    if (refusal !== null) return { refusal };
    // A reminder that has already fired is shown as it was added.
    const live = new Map(this.#set.map((one) => [one.id, one]));
    const shown = added.map((one) => live.get(one.id) ?? one);
    return this.#listing(shown);
  }

  /** Replaces the whole definition. */
  async update(
    id: string,
    definition: ReminderDefinition,
  ): Promise<Seen | 'unknown' | 'executing' | { refusal: string }> {
    const { journal, book } = this.#parts;
    return this.#change((atUtc) => {
      const found = findReminder(book.set, id);
      if (!found) return 'unknown';
      if (found.executing) return 'executing';
      const now = this.#now();
      const changed = redefined(found, definition, now);
      const all = withReminder(book.set, changed);
      const excess = excessOf(all);
      if (excess !== null) return { refusal: excess };
      book.replace(all);
      journal.event(atUtc, events.updated(changed));
      return { reminder: changed, effective: effectiveOf(book.set), now };
    });
  }

  /** @returns what became of it, in words; null when no reminder has that id. */
  async remove(id: string): Promise<string | null> {
    const { journal, book } = this.#parts;
    return this.#change((atUtc) => {
      const found = findReminder(book.set, id);
      if (!found) return null;
      const detail = found.executing
        ? 'The deletion is recorded; the delivery that runs will continue until completion.'
        : 'Deleted the reminder.';
      book.replace(deleted(book.set, found));
      journal.event(atUtc, events.removed(found, detail));
      return detail;
    });
  }

  /** The gateway stops: each reminder that is lost gets an event. */
  async lose(): Promise<void> {
    const { journal, book } = this.#parts;
    if (this.#set.length === 0) return;
    await journal.write((atUtc) => {
      const set: ReminderSet = book.set;
      for (const reminder of inOrder(set)) journal.event(atUtc, events.lost(reminder, set, this.#now()));
      book.replace([]);
    });
  }

  get #set(): readonly Reminder[] {
    return this.#parts.book.set;
  }

  #listing(shown: ReminderSet): Listing {
    return { shown, effective: effectiveOf(this.#set), now: this.#now() };
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }

  async #change<T>(work: (atUtc: string) => T): Promise<T> {
    const result = await this.#parts.journal.write(work);
    this.#parts.wakeLoop();
    return result;
  }
}
