import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomic } from '../../foundation/atomic-file.js';
import { systemFaultOf } from '../../foundation/system-fault.js';
import { MailFault } from '../message/mail-fault.js';
import { fileDigest } from '../transport/file-digest.js';
import type { AttachedFile } from '../transport/mail-transport.js';
import { attachmentFileName } from './attachment-file-name.js';

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
