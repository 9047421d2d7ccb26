import type { Clock } from '../../foundation/clock.js';
import { newReminderId } from '../../foundation/ids.js';
import type { Journal } from '../journal.js';
import { newReminder, type Reminder, type ReminderDefinition, redefined } from './reminder.js';
import * as events from './reminder-events.js';
import { deleted, excessOf, findReminder, type ReminderSet, withReminder } from './reminder-set.js';
import { inOrder, type ReminderList, reminderList, reminderView } from './reminder-view.js';
import { effectiveOf } from './selection.js';

export interface ReminderServiceParts {
  journal: Journal;
  clock: Clock;
  /** The set has changed: what is due may be another one. */
  wakeLoop: () => void;
}

/**
 * The reminders of this process (gateway §4). They live in memory; their events are on disk before a change is answered,
 * and a change whose events cannot be written is none.
 */
export class ReminderService {
  readonly #parts: ReminderServiceParts;

  constructor(parts: ReminderServiceParts) {
    this.#parts = parts;
  }

  list(): ReminderList {
    return reminderList(inOrder(this.#set), this.#set, this.#now());
  }

  get(id: string): ReturnType<typeof reminderView> | null {
    const found = findReminder(this.#set, id);
    return found && reminderView(found, effectiveOf(this.#set), this.#now());
  }

  /** Adds all of them, or none where they would be too many. */
  async create(definitions: readonly ReminderDefinition[]): Promise<ReminderList | { refusal: string }> {
    const { journal } = this.#parts;
    const now = this.#now();
    const added = definitions.map((definition) => newReminder(newReminderId(), definition, now));
    const refusal = await this.#change((atUtc) => {
      const all = [...journal.memory.reminders, ...added];
      const excess = excessOf(all);
      if (excess !== null) return excess;
      journal.memory.reminders = all;
      for (const reminder of added) journal.event(atUtc, events.registered(reminder));
      return null;
    });
    if (refusal !== null) return { refusal };
    // What has fired meanwhile is shown as it was added.
    const live = new Map(this.#set.map((one) => [one.id, one]));
    const shown = added.map((one) => live.get(one.id) ?? one);
    return reminderList(shown, this.#set, this.#now());
  }

  /** Replaces the whole definition. */
  async update(
    id: string,
    definition: ReminderDefinition,
  ): Promise<ReturnType<typeof reminderView> | 'unknown' | 'executing' | { refusal: string }> {
    const { journal } = this.#parts;
    return this.#change((atUtc) => {
      const found = findReminder(journal.memory.reminders, id);
      if (!found) return 'unknown';
      if (found.executing) return 'executing';
      const now = this.#now();
      const changed = redefined(found, definition, now);
      const all = withReminder(journal.memory.reminders, changed);
      const excess = excessOf(all);
      if (excess !== null) return { refusal: excess };
      journal.memory.reminders = all;
      journal.event(atUtc, events.updated(changed));
      return reminderView(changed, effectiveOf(journal.memory.reminders), now);
    });
  }

  /** @returns what became of it, in words; null when there is none by that id. */
  async remove(id: string): Promise<string | null> {
    const { journal } = this.#parts;
    return this.#change((atUtc) => {
      const found = findReminder(journal.memory.reminders, id);
      if (!found) return null;
      const detail = found.executing
        ? 'The deletion is recorded; the delivery that runs will continue until completion.'
        : 'Deleted the reminder.';
      journal.memory.reminders = deleted(journal.memory.reminders, found);
      journal.event(atUtc, events.removed(found, detail));
      return detail;
    });
  }

  /** The gateway goes down: what was not delivered is told of, one by one. */
  async lose(): Promise<void> {
    const { journal } = this.#parts;
    if (this.#set.length === 0) return;
    await journal.write((atUtc) => {
      const set: ReminderSet = journal.memory.reminders;
      for (const reminder of inOrder(set)) journal.event(atUtc, events.lost(reminder, set, this.#now()));
      journal.memory.reminders = [];
    });
  }

  get #set(): readonly Reminder[] {
    return this.#parts.journal.memory.reminders;
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
