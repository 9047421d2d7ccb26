import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { MailFault } from '../../message/mail-fault.js';
import { type Principal, recipientsOf } from '../../message/mail-message.js';
import { readMessageFile } from '../mailbox/message-file.js';
import type { MailPaths } from '../root/mail-paths.js';

export interface DamagedFile {
  path: string;
  reason: string;
}

/** What the files of a root say. */
export interface ScannedMessages {
  /** Where each readable message is. */
  paths: Map<string, string>;
  damaged: DamagedFile[];
  /** Folders, or what stands in their place, that may hold messages and were not looked into. */
  hidden: Set<string>;
  /** Who was named first as the owner of an address. */
  owners: Map<string, Principal>;
}

/** Between two rests, so that a large root does not stop everything else of the process. */
const filesAtOnce = 100;

/** Reads every message; their texts are not kept. A damaged one is told of, and left as it is. */
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
 * Every file of a message, by the id that its name says. A link that stands there is told of when it is read.
 * @param hidden is told of what may hold messages and is not looked into; without it, a folder that cannot be read is an error.
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
