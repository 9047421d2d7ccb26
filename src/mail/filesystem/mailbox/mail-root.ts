import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../foundation/clock.js';
import { obstacleOf } from '../../../foundation/system-fault.js';
import { parseDocument } from '../../message/document.js';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import { withLineFeeds } from '../../message/mail-text.js';
import { asMailFault } from '../root/faults.js';
import { canonicalPath, type MailPaths, mailPaths, realPathOf, requireRoot } from '../root/mail-paths.js';
import { type LeftLocks, MailboxLocks } from '../root/mailbox-locks.js';
import { whenFree } from '../root/shared-database.js';
import { MailboxDatabase, MailIndex } from '../tables/mail-databases.js';

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

export interface MessageFile {
  message: MailMessage;
  /** The whole text, as the index keeps it. */
  document: string;
}

/** A body has at most 16 MiB when it is accepted. */
const largestFile = 64 * 1024 * 1024;

const damaged = (path: string, reason: string): never => {
  throw new MailFault('message_damaged', `${path}: ${reason}`);
};

/**
 * Reads a message's file by the path that a row names in `messages/`: it must be a regular file there, and no link, under the
 * name and the day of its message.
 * @throws {MailFault} `message_damaged`, with the path; the file is left unchanged.
 */
export function readMessageFile(paths: MailPaths, path: string): MessageFile {
  if (dirname(dirname(path)) !== paths.messages) damaged(path, `is not in a folder of ${paths.messages}`);
  const document = withLineFeeds(decoded(path, contentOf(path)));
  const message = parsed(path, document);
  if (path !== canonicalPath(paths, message))
    damaged(path, `has message ${message.messageId} of ${message.createdAtUtc}, which belongs elsewhere`);
  return { message, document };
}

/** Reads a message of a root. @throws {MailFault} where it is unknown or damaged */
export const messageIn = (root: MailRoot, messageId: string): Promise<MessageFile> =>
  root.read(() => {
    const place = root.index.messages.place(messageId);
    if (place === undefined)
      throw new MailFault('message_unknown', `${messageId} is not in ${root.paths.root}`);
    return readMessageFile(root.paths, place.canonical_path);
  });

/** Whether the root has a message. */
export const hasMessage = (root: MailRoot, messageId: string): Promise<boolean> =>
  root.read(() => root.index.messages.place(messageId) !== undefined);

function contentOf(path: string): Buffer {
  try {
    const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
    const file = lstatSync(path, { throwIfNoEntry: false });
    if (!folder?.isDirectory()) damaged(dirname(path), 'is not a folder');
    if (!file?.isFile()) return damaged(path, file ? 'is not a regular file' : 'is missing');
    if (file.size > largestFile) damaged(path, `has more than ${largestFile} bytes`);
    return readFileSync(path);
  } catch (error) {
    // These errors concern this file only; others, for example that no file can be opened at all, are reported as they are.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!/^(EACCES|EPERM|EIO|ENOENT|ENOTDIR|ELOOP|ESTALE)$/.test(code)) throw error;
    return damaged(path, `cannot be read (${code})`);
  }
}

function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return damaged(path, 'is not UTF-8');
  }
}

function parsed(path: string, document: string): MailMessage {
  try {
    return parseDocument(document);
  } catch (error) {
    if (error instanceof MailRefusal) return damaged(path, error.message);
    throw error;
  }
}

interface Known {
  /** Identifies the exact file that was read. */
  stamp: string;
  message: MailMessage;
  /** The length of its file: subjects, names, headers and notices may be as long as bodies. */
  units: number;
}

/** The limit for all of them together, in UTF-16 units of text; the parsed objects take some more. */
const mostUnits = 2 * 1024 * 1024;
const ownUnits = 1000;

/** Keeps parsed messages as long as their files are the same: no program writes to such a file, but any may replace it. */
export class MessageCache {
  readonly #known = new LRUCache<string, Known>({
    maxSize: mostUnits,
    sizeCalculation: ({ units }) => ownUnits + units,
  });

  /** @throws {MailFault} as readMessageFile does. */
  read(paths: MailPaths, path: string): MailMessage {
    const stamp = stampOf(path);
    const known = this.#known.get(path);
    if (known !== undefined && known.stamp === stamp) return known.message;
    const { message, document } = readMessageFile(paths, path);
    if (stamp !== null) this.#known.set(path, { stamp, message, units: document.length });
    return message;
  }
}

/** Returns null where there is no such file, or it cannot be examined. */
function stampOf(path: string): string | null {
  const file = sightOf(path);
  return file?.isFile() ? `${file.dev}:${file.ino}:${file.size}:${file.mtimeMs}:${file.ctimeMs}` : null;
}

function sightOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
