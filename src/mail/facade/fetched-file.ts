import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { sanitiseLine } from '../../foundation/text.js';
import { MailFault } from '../message/mail-fault.js';
import { bareFileName } from '../message/mail-text.js';
import { fileDigest } from '../transport/attach-file.js';
import type { AttachedFile } from '../transport/mail-transport.js';

/** An attachment as a file on this machine. */
export interface FetchedFile {
  path: string;
  sizeBytes: number;
  /** In hex. */
  sha256: string;
  /** Whether it is the file that the sender attached; null where the sender's digest is not known. */
  unchanged: boolean | null;
}

/**
 * Makes an attachment a file that can be read here. Content from a server is written below `folder`, 0600, and replaces an
 * earlier copy in one step: an incomplete file is never there.
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

/**
 * Writes an attachment. Attachments with the same name have different folders, and each file has the sender's
 * name, as far as a file can have it.
 */
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

/** In bytes; a file system takes 255, and a temporary sibling of the file has a longer name. */
const longest = 150;
const fallback = 'attachment';

/** Characters that a shell would act on, where the path of the file is put into a command. */
const shellSyntax = /[$`;"'\\&|<>*?!()]/g;

/** White space and dots at the end of a name. */
const tail = /[\s.]+$/;

/**
 * Pure: makes the name of a file on this machine from the sender's name for it. It has no folder in it, is not hidden, is one
 * line, shows the letters that it has in their order, and has no effect in a shell.
 */
export function attachmentFileName(label: string | null): string {
  // Half a surrogate pair becomes the same as a character that a terminal would not take.
  const whole = Buffer.from(bareFileName(label ?? '')).toString();
  const plain = sanitiseLine(whole).replaceAll('\ufffd', '_').replace(shellSyntax, '_');
  const shown = shortened(plain.replace(/^[\s.]+/, '').replace(tail, ''));
  return shown === '' ? fallback : shown;
}

/** Shortens a name, and keeps its end, which says what kind of file it is. */
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
