import type { Clock } from '../../../foundation/clock.js';
import { FolderWatch } from '../../../foundation/folders.js';
import type { SharedDatabase } from '../root/shared-database.js';
import { whenFree } from '../root/when-free.js';

/** A missed event of the file system delays a notice by so much at most. */
const pollMilliseconds = 1000;

/** Notices that a mailbox has changed: the file system says when to ask, the mailbox's own database what is true. */
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

  /** The first call returns at once: what came before it is not known. @returns whether it may have changed. */
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
