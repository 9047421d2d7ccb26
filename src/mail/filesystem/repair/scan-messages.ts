import { setImmediate } from 'node:timers/promises';
import { MailFault } from '../../message/mail-fault.js';
import type { Principal } from '../../message/mail-message.js';
import { recipientsOf } from '../../message/mail-message.js';
import { readMessageFile } from '../mailbox/message-file.js';
import type { MailPaths } from '../root/mail-paths.js';
import { messageFiles } from './find-message-files.js';

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
