import type { Clock } from '../../../foundation/clock.js';
import { FolderWatch } from '../../../foundation/folders.js';
import type { SharedDatabase } from '../root/shared-database.js';
import { whenFree } from '../root/when-free.js';

/** The longest delay of a notice when an event of the file system is missed. */
const pollMilliseconds = 1000;

/**
 * Detects changes of a mailbox: the file system says when to check, and the mailbox's own database says whether it has changed.
 */
export class MailboxWatch {
  readonly #database: SharedDatabase;
  readonly #clock: Clock;
  readonly #folder: FolderWatch;
  #version = '';

  constructor(mailboxPath: string, database: SharedDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#folder = new FolderWatch([mailboxPath], clock, pollMilliseconds);
  }

  /** The first call returns at once, because earlier changes are unknown. @returns whether the mailbox may have changed. */
  async change(enough: AbortSignal, longest: number): Promise<boolean> {
    const until = this.#clock.monotonic() + longest;
    for (;;) {
      if (await this.#isNew()) return true;
      if (enough.aborted || this.#clock.monotonic() >= until) return false;
      await this.#folder.change(enough);
    }
  }

  close(): void {
    this.#folder.close();
  }

  async #isNew(): Promise<boolean> {
    const version = await whenFree(this.#clock, this.#database.path, () => this.#database.version());
    const isNew = version !== this.#version;
    this.#version = version;
    return isNew;
  }
}
