import { lstatSync, type Stats } from 'node:fs';
import { LRUCache } from 'lru-cache';
import type { MailMessage } from '../../message/mail-message.js';
import type { MailPaths } from '../root/mail-paths.js';
import { readMessageFile } from './message-file.js';

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
