import type { Journal } from '../../events/journal.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { ReminderSet } from './reminder-set.js';

/** All live reminders. They are lost when the process ends; a failed transaction restores the set before it. */
export class ReminderBook implements Mirror {
  #set: ReminderSet = [];

  constructor(journal: Pick<Journal, 'keep'>) {
    journal.keep(this);
  }

  get set(): ReminderSet {
    return this.#set;
  }

  /** Only inside `Journal.write`. */
  replace(set: ReminderSet): void {
    this.#set = set;
  }

  snapshot(): () => void {
    const set = this.#set;
    return () => {
      this.#set = set;
    };
  }
}
