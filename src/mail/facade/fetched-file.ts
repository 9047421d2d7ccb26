import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { sanitiseLine } from '../../foundation/text.js';
import { MailFault } from '../message/mail-fault.js';
import { bareFileName } from '../message/mail-text.js';
import { fileDigest } from '../transport/attach-file.js';
import type { AttachedFile } from '../transport/mail-transport.js';

/** An attachment as a file of this machine. */
export interface FetchedFile {
  path: string;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
  /** Whether it is what the sender attached; null where nobody says what that was. */
  unchanged: boolean | null;
}

/**
 * Makes an attachment a file that can be read here. What comes from a server is written below `folder`, 0600, in place of what was
 * fetched before: half a file never stands there.
 * @throws {MailFault} `attachment_lost` for a file that is gone or cannot be read, `machine` where none can be written.
 */
export async function fetchedFile(
  { attachment, content }: AttachedFile,
  folder: string,
): Promise<FetchedFile> {
  const path = 'path' in content ? content.path : keep(attachment, content.bytes, folder);
  const digest = await fileDigest(path, (rule) => {
    throw new MailFault('attachment_lost', `${attachment.attachmentId}: ${path} ${rule}`);
  });
  const { sha256 } = attachment;
  return { path, ...digest, unchanged: sha256 === null ? null : sha256 === digest.sha256 };
}

/** Attachments of one name are apart, and the name of each is the sender's, as far as a file can have it. */
function keep({ attachmentId, label }: AttachedFile['attachment'], bytes: Buffer, folder: string): string {
  const apart = createHash('sha256').update(attachmentId).digest('hex').slice(0, 16);
  const path = join(folder, apart, attachmentFileName(label));
  try {
    writeFileAtomic(path, bytes);
    return path;
  } catch (error) {
    throw new MailFault('machine', systemFaultOf(error, path) ?? (error as Error).message, { cause: error });
  }
}

/** Bytes; a file system takes 255, and a temporary sibling of the file has a longer name. */
const longest = 150;
const fallback = 'attachment';

/** What a shell would act on, where somebody puts the path of the file into a command. */
const shellSyntax = /[$`;"'\\&|<>*?!()]/g;

/** Nothing that is seen at the end of a name. */
const tail = /[\s.]+$/;

/**
 * Pure: the name of a file on this machine for what a sender called so. It has no folder in it, is not hidden, is one line, shows the
 * letters that it has, in their order, and says nothing to a shell.
 */
export function attachmentFileName(label: string | null): string {
  // Half a character becomes the same as what a terminal would not take.
  const whole = Buffer.from(bareFileName(label ?? '')).toString();
  const plain = sanitiseLine(whole).replaceAll('\ufffd', '_').replace(shellSyntax, '_');
  const shown = shortened(plain.replace(/^[\s.]+/, '').replace(tail, ''));
  return shown === '' ? fallback : shown;
}

/** The end of a name is kept: it says what kind of file it is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  const room = longest - Buffer.byteLength(ending);
  let kept = '';
  let bytes = 0;
  for (const letter of name) {
    bytes += Buffer.byteLength(letter);
    if (bytes > room) break;
    kept += letter;
  }
  return kept.replace(tail, '') + ending;
}
