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
  /** All of it, as the index keeps it. */
  document: string;
}

/** A body has at most 16 MiB on its way in. */
const largestFile = 64 * 1024 * 1024;

const damaged = (path: string, reason: string): never => {
  throw new MailFault('message_damaged', `${path}: ${reason}`);
};

/**
 * Reads a message's file, wherever in `messages/` a path says that it is: it must be a file that stands there itself, under
 * the name and the day of its message.
 * @throws {MailFault} `message_damaged`, with the path; the file is left as it is.
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
    // Of this file alone; that no file can be opened at all, for one, is told as what it is.
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
  /** Of the very file that was read. */
  stamp: string;
  message: MailMessage;
  /** Of its file: subjects, names, headers and notices may be as long as bodies. */
  units: number;
}

/** In UTF-16 units of text, together; what is made of the text takes some more. */
const mostUnits = 2 * 1024 * 1024;
const ownUnits = 1000;

/** Messages as they were read, for as long as their files are the same: nobody writes to one, but anybody may replace it. */
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

/** Null where there is no such file, or none that can be looked at. */
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
