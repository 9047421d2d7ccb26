import { lstatSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import { parseDocument } from '../../message/document.js';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import type { MailMessage } from '../../message/mail-message.js';
import { withLineFeeds } from '../../message/mail-text.js';
import { canonicalPath, type MailPaths } from '../root/mail-paths.js';

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
