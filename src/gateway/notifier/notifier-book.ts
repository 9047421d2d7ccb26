import type { Journal } from '../../events/journal.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { NotifierTable, StoredNotifier } from './notifier-table.js';
import type { ToldMail } from './told-mail.js';

/**
 * The notifier's row, mirrored in memory, and what the agent was told of, which is in memory only: a change of both is undone
 * as one. The row is changed inside `Journal.write` only.
 */
export class NotifierBook implements Mirror {
  readonly table: NotifierTable;
  #stored: StoredNotifier;
  #told: ToldMail | null = null;

  constructor(table: NotifierTable, journal: Journal) {
    this.table = table;
    this.#stored = table.read();
    journal.keep(this);
  }

  get stored(): StoredNotifier {
    return this.#stored;
  }

  /** Null where nothing of it is known yet. */
  get told(): ToldMail | null {
    return this.#told;
  }

  remember(told: ToldMail): void {
    this.#told = told;
  }

  replace(atUtc: string, next: StoredNotifier): void {
    this.table.write(atUtc, next);
    this.#stored = next;
  }

  snapshot(): () => void {
    const [stored, told] = [this.#stored, this.#told];
    return () => {
      this.#stored = stored;
      this.#told = told;
    };
  }
}
