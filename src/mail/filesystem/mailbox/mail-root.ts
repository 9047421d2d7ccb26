import type { Clock } from '../../../foundation/clock.js';
import { obstacleOf } from '../../../foundation/system-fault.js';
import { MailFault } from '../../message/mail-fault.js';
import { asMailFault } from '../root/faults.js';
import { type MailPaths, mailPaths, realPathOf } from '../root/mail-paths.js';
import { type LeftLocks, MailboxLocks } from '../root/mailbox-locks.js';
import { requireRoot } from '../root/stale-root.js';
import { whenFree } from '../root/when-free.js';
import { MailboxDatabase, MailIndex } from '../tables/mail-databases.js';
import { MessageCache } from './message-file.js';

/** A mailbox root with its open databases. The code that makes it must close it. */
export class MailRoot {
  readonly paths: MailPaths;
  readonly clock: Clock;
  readonly index: MailIndex;
  readonly locks: MailboxLocks;
  readonly messages = new MessageCache();
  readonly #mailboxes = new Map<string, MailboxDatabase>();

  /**
   * @param path need not exist yet.
   * @param recover finishes the work that an ended process left half done under its locks.
   * @throws {MailFault} where links or access rights keep the path from being resolved.
   */
  constructor(path: string, clock: Clock, recover: (root: MailRoot, left: LeftLocks) => Promise<void>) {
    this.paths = mailPaths(realRoot(path));
    this.clock = clock;
    this.index = new MailIndex(this.paths.index);
    this.locks = new MailboxLocks({ paths: this.paths, clock, recover: (left) => recover(this, left) });
  }

  /**
   * Does work on a root of this format. The work takes its own locks.
   * @throws {MailFault} where there is no root, and in place of the errors of disk and databases.
   */
  async work<T>(work: () => T | Promise<T>): Promise<T> {
    this.locks.giveBackKept();
    return this.attempt(async () => {
      await this.free(() => requireRoot(this.paths, this.index.database));
      return work();
    });
  }

  /** Does the same where the root may not exist yet. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asMailFault(error, this.paths.root);
    }
  }

  /** Does work with the index as soon as no other process holds it. @throws {MailFault} `locked` after five seconds. */
  free<T>(work: () => T): Promise<T> {
    return whenFree(this.clock, this.paths.index, work);
  }

  /** Reads index and mailboxes as soon as no other process holds them. @throws {MailFault} as `work` does, and `locked`. */
  read<T>(read: () => T): Promise<T> {
    return this.work(() => whenFree(this.clock, this.paths.root, read));
  }

  /** Returns the database of a mailbox. It stays open, because mailboxes that deliver to each other do so again and again. */
  database(mailboxPath: string): MailboxDatabase {
    const known = this.#mailboxes.get(mailboxPath);
    if (known) return known;
    const opened = new MailboxDatabase(mailboxPath);
    this.#mailboxes.set(mailboxPath, opened);
    return opened;
  }

  close(): void {
    this.index.database.close();
    for (const { database } of this.#mailboxes.values()) database.close();
    this.#mailboxes.clear();
  }
}

function realRoot(path: string): string {
  try {
    return realPathOf(path);
  } catch (error) {
    const obstacle = obstacleOf(error, path);
    throw obstacle === null
      ? asMailFault(error, path)
      : new MailFault('root_unusable', obstacle, { cause: error });
  }
}
