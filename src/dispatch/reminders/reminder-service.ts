import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { newReminderId } from '../../foundation/ids.js';
import type { TurnTable } from '../../turn/turn-table.js';
import { endLeftDeliveries, type RestOfTurn, restOfLeftTurn } from './delivery-end.js';
import { newReminder, type Reminder, type ReminderDefinition, redefined } from './reminder.js';
import type { ReminderBook } from './reminder-book.js';
import * as events from './reminder-events.js';
import {
  deleted,
  effectiveOf,
  excessOf,
  findReminder,
  inOrder,
  type ReminderSet,
  withReminder,
} from './reminder-set.js';

/** A reminder at one moment, in milliseconds since 1970, and the reminder that is effective then. */
export interface Seen {
  reminder: Reminder;
  effective: Reminder | null;
  now: number;
}
/** Several reminders at one moment, in the order in which they are shown. */
export interface ReminderListing {
  shown: ReminderSet;
  effective: Reminder | null;
  now: number;
}

/** Whether new reminders are kept in the database, and further work in the transaction that adds them. */
export interface Keeping {
  kept: boolean;
  also: (added: ReminderListing) => void;
}

export interface ReminderServiceParts {
  journal: Journal;
  book: ReminderBook;
  clock: Clock;
  /** Called when the set has changed: another reminder may be due. */
  wakeLoop: () => void;
}

/**
 * The reminders of a gateway (docs/decisions.md#reminders-in-memory, docs/decisions.md#kept-reminders). Their events, and
 * the kept reminders themselves, are on disk before a change is answered, and a change whose events cannot be written is
 * undone.
 */
export class ReminderService {
  readonly #parts: ReminderServiceParts;

  constructor(parts: ReminderServiceParts) {
    this.#parts = parts;
  }

  /** @param kept true for those in the database only, false for the others only; null for all. */
  list(kept: boolean | null = null): ReminderListing {
    return this.#listing(inOrder(this.#set).filter((one) => kept === null || one.kept === kept));
  }

  get(id: string): Seen | null {
    const found = findReminder(this.#set, id);
    return found && { reminder: found, effective: effectiveOf(this.#set), now: this.#now() };
  }

  /** Adds all these reminders, or none when there would be too many. */
  async create(
    definitions: readonly ReminderDefinition[],
    { kept, also }: Keeping = { kept: false, also: () => undefined },
  ): Promise<ReminderListing | { refusal: string }> {
    const { journal, book } = this.#parts;
    const now = this.#now();
    const added = definitions.map((definition) => newReminder(newReminderId(), definition, now, kept));
    return this.#change((atUtc) => {
      const all = [...book.set, ...added];
      const excess = excessOf(all);
      if (excess !== null) return { refusal: excess };
      book.replace(all);
      for (const reminder of added) journal.event(atUtc, events.registered(reminder));
      const listing = this.#listing(added);
      also(listing);
      return listing;
    });
  }

  /**
   * Replaces the whole definition.
   * @param kept whether the reminder is in the database from now on; when left out, that does not change.
   */
  async update(
    id: string,
    definition: ReminderDefinition,
    kept?: boolean,
  ): Promise<Seen | 'unknown' | 'executing' | { refusal: string }> {
    const { journal, book } = this.#parts;
    return this.#change((atUtc) => {
      const found = findReminder(book.set, id);
      if (!found) return 'unknown';
      if (found.executing) return 'executing';
      const now = this.#now();
      const changed = redefined(found, definition, now, kept);
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

  /** Drops the reminders that are lost when the gateway stops, with an event for each. Kept reminders stay. */
  async lose(): Promise<void> {
    const { journal, book } = this.#parts;
    if (this.#set.every(({ kept }) => kept)) return;
    await journal.write((atUtc) => {
      const set: ReminderSet = book.set;
      for (const reminder of inOrder(set))
        if (!reminder.kept) journal.event(atUtc, events.lost(reminder, set, this.#now()));
      book.replace(set.filter(({ kept }) => kept));
    });
  }

  /** Ends, at a start, the deliveries of earlier gateways that no process goes on with. */
  endLeft(turns: TurnTable): Promise<void> {
    return endLeftDeliveries(this.#parts, turns);
  }

  /** Returns the reminder's part in a turn that an earlier gateway began; null when it delivers none of these. */
  restOfLeftTurn(turnId: string): RestOfTurn | null {
    return restOfLeftTurn(this.#parts, turnId);
  }

  get #set(): readonly Reminder[] {
    return this.#parts.book.set;
  }

  #listing(shown: ReminderSet): ReminderListing {
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
