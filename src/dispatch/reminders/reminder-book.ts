import type { Journal } from '../../events/journal.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { ReminderSet } from './reminder-set.js';
import type { ReminderTable } from './reminder-table.js';

/**
 * All live reminders. Those that are kept are in the table, too, in the transaction of each change, and the next book begins with them;
 * the others are lost when the process ends. A failed transaction restores the set before it.
 */
export class ReminderBook implements Mirror {
  readonly #table: ReminderTable;
  #set: ReminderSet;

  /** @throws {Error} when the table cannot be read. */
  constructor(journal: Pick<Journal, 'keep'>, table: ReminderTable) {
    this.#table = table;
    this.#set = table.all();
    journal.keep(this);
  }

  get set(): ReminderSet {
    return this.#set;
  }

  /** Only inside `Journal.write`. */
  replace(set: ReminderSet): void {
    const before = new Set(this.#set);
    const kept = new Set(set.flatMap(({ id, kept }) => (kept ? [id] : [])));
    for (const { id, kept: was } of before) if (was && !kept.has(id)) this.#table.delete(id);
    for (const one of set) if (one.kept && !before.has(one)) this.#table.put(one);
    this.#set = set;
  }

  snapshot(): () => void {
    const set = this.#set;
    return () => {
      this.#set = set;
    };
  }
}
