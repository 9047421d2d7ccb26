import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { deferred, Waiters } from '../../foundation/concurrency.js';
import { FolderWatch } from '../../foundation/folders.js';
import type { ProcessIdentity } from '../../foundation/processes.js';
import { carriedMailboxes } from '../../mail/filesystem/carried/carried-mailboxes.js';
import { type OutgoingMessage, outgoingMail } from '../../mail/filesystem/carried/outgoing.js';
import type { MailRoot } from '../../mail/filesystem/mailbox/mail-root.js';
import { openMailRoot } from '../../mail/filesystem/open-mail-root.js';
import {
  type Carrier,
  isLeftTo,
  isSameCarrier,
  readCarrier,
  writeCarrier,
} from '../../mail/filesystem/root/carrier-file.js';
import { isMailRoot } from '../../mail/filesystem/root/mail-paths.js';
import type { MailTable } from './mail-table.js';

/** The mail folders of the agents of this host. */
export interface MailFolders {
  /** Returns them as they are now. */
  list(): readonly string[];
  /** @param listener called when they may have changed. @returns the function that ends it. */
  follow(listener: () => void): () => void;
}

export interface MailRootsParts {
  readonly host: string;
  readonly process: ProcessIdentity;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly table: MailTable;
  /** The other hosts that are known, by name. */
  hosts(): readonly string[];
  report(line: string): void;
}

/** A root of this host, and what waits in it for other hosts. */
export interface FollowedRoot {
  readonly root: MailRoot;
  waiting: readonly OutgoingMessage[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** How often the folders of the agents are looked up, in milliseconds. */
const lookMilliseconds = 2000;
/** How often a root is looked at where no change was seen, in milliseconds. */
const pollMilliseconds = 10_000;
const changed = 'changed';
const foldersChanged = 'folders changed';

/** The mail folders of this host, each followed for mail to other hosts, whether or not this host is in the fleet now. */
export class MailRoots {
  readonly #parts: MailRootsParts;
  readonly #followed = new Map<string, FollowedRoot>();
  readonly #waiters = new Waiters();
  readonly #found = deferred<void>();
  readonly #reported = new Map<string, string>();

  constructor(parts: MailRootsParts) {
    this.#parts = parts;
  }

  /** The roots, once the folders were looked up. */
  async all(): Promise<readonly FollowedRoot[]> {
    await this.#found.promise;
    return [...this.#followed.values()];
  }

  /** How many messages wait for other hosts. */
  get waiting(): number {
    return [...this.#followed.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Waits until something waits that did not, for a minute at most, or until `enough` aborts. */
  news(enough: AbortSignal): Promise<void> {
    return this.#waiters.wait(changed, 60_000, enough);
  }

  /** Has all be looked at again. */
  wake(): void {
    this.#waiters.wake(changed);
  }

  /** Follows the roots until it is stopped, and closes them: also those of agents that have stopped, whose mailboxes stay. */
  async run(folders: MailFolders, stopping: AbortSignal): Promise<void> {
    const unfollow = folders.follow(() => this.#waiters.wake(foldersChanged));
    let named = '';
    while (!stopping.aborted) {
      const wanted = await this.#wanted(folders.list());
      for (const path of wanted) if (!this.#followed.has(path)) this.#open(path);
      for (const [path, one] of this.#followed)
        if (!wanted.has(path)) {
          this.#followed.delete(path);
          one.stop.abort();
        }
      this.#found.resolve();
      const names = this.#parts.hosts().join();
      if (names !== named) this.#sayInAll();
      named = names;
      await this.#waiters.wait(foldersChanged, lookMilliseconds, stopping);
    }
    unfollow();
    const all = [...this.#followed.values()];
    for (const { stop } of all) stop.abort();
    await Promise.all(all.map(({ ended }) => ended));
    this.#followed.clear();
    this.#waiters.releaseAll();
  }

  /** Looks at a root now: after a change of ours, before somebody asks. */
  async look(one: FollowedRoot): Promise<void> {
    one.waiting = await outgoingMail(one.root);
  }

  /** Returns the folders of agents, and those of earlier ones that are still there; and remembers the new ones. */
  async #wanted(current: readonly string[]): Promise<Set<string>> {
    const { journal, table } = this.#parts;
    const known = table.folders();
    const added = current.filter((path) => !known.includes(path));
    try {
      if (added.length > 0)
        await journal.write(() => {
          for (const path of added) table.addFolder(path);
        });
    } catch (error) {
      this.#reportOnce('folders', error, 'the mail folders of this host are not remembered');
    }
    return new Set([...current, ...known.filter(isMailRoot)]);
  }

  #open(path: string): void {
    try {
      const root = openMailRoot(path, this.#parts.clock);
      const stop = new AbortController();
      const ended = deferred<void>();
      const one: FollowedRoot = { root, waiting: [], stop, ended: ended.promise };
      this.#followed.set(path, one);
      this.#follow(one)
        .then(() => root.close())
        .catch((error: Error) => this.#fault(path, error))
        .finally(ended.resolve);
    } catch (error) {
      this.#fault(path, error);
    }
  }

  async #follow(one: FollowedRoot): Promise<void> {
    const { paths } = one.root;
    const { signal } = one.stop;
    const watch = new FolderWatch([paths.mailboxes], this.#parts.clock, pollMilliseconds);
    while (!signal.aborted) {
      try {
        // Before a look: mail that another server carries does not wait for this one.
        this.#carrierOf(one.root);
        await this.look(one);
        this.#say(one.root);
        const boxes = await one.root.read(() => carriedMailboxes(one.root));
        // A delivery is seen in the database of its mailbox, which it writes last.
        watch.watch([paths.mailboxes, ...boxes.map(({ mailbox_path }) => mailbox_path)]);
        this.#reported.delete(paths.root);
        if (one.waiting.length > 0) this.wake();
      } catch (error) {
        this.#fault(paths.root, error);
      }
      await watch.change(signal);
    }
    watch.close();
  }

  /** Returns the server that carried mail of a root until now. @throws {Error} where it is that of another host, and runs */
  #carrierOf({ paths }: MailRoot): Carrier | null {
    const carrier = readCarrier(paths);
    if (carrier === null || !isLeftTo(carrier, this.#parts.host)) return carrier;
    const { host, process } = carrier;
    throw new Error(
      `the server of host ${host} (process ${process.pid}) carries it; give the agents of each server a mail folder of their own`,
    );
  }

  /** Says in a root that this server carries its mail. The hosts of an earlier start stay known until the fleet is reached. */
  #say(root: MailRoot): void {
    const { host, process, hosts } = this.#parts;
    const before = this.#carrierOf(root);
    const known = hosts();
    const now = { host, hosts: known.length > 0 ? known : (before?.hosts ?? []), process };
    if (before === null || !isSameCarrier(before, now)) writeCarrier(root.paths, now);
  }

  /** Says it at once: mail for a host that has just joined is refused until then. */
  #sayInAll(): void {
    for (const { root } of this.#followed.values())
      try {
        if (isMailRoot(root.paths.root)) this.#say(root);
      } catch (error) {
        this.#fault(root.paths.root, error);
      }
  }

  #fault(path: string, error: unknown): void {
    this.#reportOnce(path, error, `mail of ${path} is not carried to other hosts by this server now`);
  }

  /** Reports a fault, unless it is the last one of its kind. */
  #reportOnce(kind: string, error: unknown, follows: string): void {
    const { message } = error as Error;
    if (this.#reported.get(kind) === message) return;
    this.#reported.set(kind, message);
    this.#parts.report(`${follows}: ${message}`);
  }
}
