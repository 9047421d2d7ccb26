import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, recipientsOf } from '../../message/mail-message.js';
import { readMessageFile } from '../mailbox/mail-root.js';
import type { MailPaths } from '../root/mail-paths.js';

export interface DamagedFile {
  path: string;
  reason: string;
}

/** The result of reading the message files of a root. */
export interface ScannedMessages {
  /** The path of each readable message. */
  paths: Map<string, string>;
  damaged: DamagedFile[];
  /** Folders, or other things in their place, that may contain messages and were not read. */
  hidden: Set<string>;
  /** The owner of each address, as the first message that has the address names it. */
  owners: Map<string, Principal>;
}

/** The number of files between two pauses, so that a large root does not stop everything else in the process. */
const filesAtOnce = 100;

/** Reads every message; their texts are not kept. A damaged one is reported, and left unchanged. */
export async function scanMessages(paths: MailPaths): Promise<ScannedMessages> {
  const scanned: ScannedMessages = { paths: new Map(), damaged: [], hidden: new Set(), owners: new Map() };
  const hidden = (path: string, reason: string) => {
    scanned.hidden.add(path);
    scanned.damaged.push({ path, reason: `${path}: ${reason}` });
  };
  let read = 0;
  for (const { path } of messageFiles(paths, hidden)) {
    try {
      const { message } = readMessageFile(paths, path);
      scanned.paths.set(message.messageId, path);
      for (const each of [message.from, ...recipientsOf(message)])
        if (!scanned.owners.has(each.address)) scanned.owners.set(each.address, each);
    } catch (error) {
      if (!(error instanceof MailFault)) throw error;
      scanned.damaged.push({ path, reason: error.message });
    }
    read += 1;
    if (read % filesAtOnce === 0) await setImmediate();
  }
  return scanned;
}

type Hidden = (path: string, reason: string) => void;

/**
 * Yields every file of a message, with the id in its name. A link in place of a file is reported when it is read.
 * @param hidden called for a path that may contain messages and is not read; without it, a folder
 * that cannot be read is an error.
 */
export function* messageFiles(
  { messages }: MailPaths,
  hidden?: Hidden,
): Generator<{ name: string; path: string }> {
  for (const entry of readdirSync(messages, { withFileTypes: true })) {
    const path = join(messages, entry.name);
    if (!entry.isDirectory()) {
      const reason = strayReason(entry);
      if (reason !== null) hidden?.(path, reason);
      continue;
    }
    for (const name of namesIn(path, hidden))
      if (name.endsWith('.md')) yield { name: name.slice(0, -3), path: join(path, name) };
  }
}

function strayReason(entry: Dirent): string | null {
  if (entry.isSymbolicLink()) return 'is a link, which is not followed';
  return entry.name.endsWith('.md') ? 'is not in the folder of a day' : null;
}

function namesIn(folder: string, hidden: Hidden | undefined): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (hidden === undefined || !/^(EACCES|EPERM|EIO|ESTALE)$/.test(code)) throw error;
    hidden(folder, `cannot be read (${code})`);
    return [];
  }
}
