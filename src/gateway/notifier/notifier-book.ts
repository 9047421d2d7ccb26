import type { Journal } from '../../events/journal.js';
import type { Mirror } from '../../storage/group-commit.js';
import type { NotifierTable, StoredNotifier } from './notifier-table.js';

/** The notifier's row, mirrored in memory. It is changed inside `Journal.write` only. */
export class NotifierBook implements Mirror {
  readonly table: NotifierTable;
  #stored: StoredNotifier;

  constructor(table: NotifierTable, journal: Journal) {
    this.table = table;
    this.#stored = table.read();
    journal.keep(this);
  }

  get stored(): StoredNotifier {
    return this.#stored;
  }

  replace(atUtc: string, next: StoredNotifier): void {
    this.table.write(atUtc, next);
    this.#stored = next;
  }

  snapshot(): () => void {
    const stored = this.#stored;
    return () => {
      this.#stored = stored;
    };
  }
}
