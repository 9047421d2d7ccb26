import type { Clock } from '../../foundation/clock.js';
import { deferred, Waiters } from '../../foundation/concurrency.js';
import { FolderWatch } from '../../foundation/folders.js';
import type { ProcessIdentity } from '../../foundation/processes.js';
import { carriedMailboxes } from '../../mail/filesystem/carried/carried-mailboxes.js';
import { type OutgoingMessage, outgoingMail } from '../../mail/filesystem/carried/outgoing.js';
import type { MailRoot } from '../../mail/filesystem/mailbox/mail-root.js';
import { openMailRoot } from '../../mail/filesystem/open-mail-root.js';
import { isSameCarrier, readCarrier, writeCarrier } from '../../mail/filesystem/root/carrier-file.js';

export interface MailRootsParts {
  readonly host: string;
  readonly process: ProcessIdentity;
  readonly clock: Clock;
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

  /** Follows the roots until it is stopped, and closes them. @param folders returns those of the agents of this host, as they are now */
  async run(folders: () => readonly string[], stopping: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!stopping.aborted) {
      const wanted = new Set(folders());
      for (const path of wanted) if (!this.#followed.has(path)) this.#open(path);
      for (const [path, one] of this.#followed)
        if (!wanted.has(path)) {
          this.#followed.delete(path);
          one.stop.abort();
        }
      this.#found.resolve();
      await clock.sleep(lookMilliseconds, stopping);
    }
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

  #open(path: string): void {
    try {
      const root = openMailRoot(path, this.#parts.clock);
      const stop = new AbortController();
      const ended = deferred<void>();
      const one: FollowedRoot = { root, waiting: [], stop, ended: ended.promise };
      this.#followed.set(path, one);
      void this.#follow(one).then(() => {
        root.close();
        ended.resolve();
      });
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

  /** Says in a root that this server carries its mail. The hosts of an earlier start stay known until the fleet is reached. */
  #say({ paths }: MailRoot): void {
    const { host, process, hosts } = this.#parts;
    const before = readCarrier(paths);
    const known = hosts();
    const now = { host, hosts: known.length > 0 ? known : (before?.hosts ?? []), process };
    if (before === null || !isSameCarrier(before, now)) writeCarrier(paths, now);
  }

  /** Reports a fault of a root once. */
  #fault(path: string, error: unknown): void {
    const { message } = error as Error;
    if (this.#reported.get(path) === message) return;
    this.#reported.set(path, message);
    this.#parts.report(`mail of ${path} is not carried to other hosts now: ${message}`);
  }
}
