import { realpath } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { sanitiseLine } from '../../foundation/sanitise.js';
import { oneLine } from '../message/compose.js';
import { MailFault } from '../message/mail-fault.js';
import type { Attachment } from '../message/mail-message.js';
import { MailRefusal } from '../message/mail-refusal.js';
import { mediaTypeOf } from '../message/media-type.js';
import { fileDigest } from './file-digest.js';

/**
 * Names a file as an attachment. It is read once, for its size and digest, and stays where it is: so the sender must be able
 * to read it, and it must be a file that comes to an end.
 * @param attachmentId by {@link attachmentIdOf}. @param field what refusals name, such as `attachments[0]`.
 * @throws {MailRefusal} for a path or label that nothing could have.
 * @throws {MailFault} `attachment_unusable` as the file is now.
 */
export async function attachFile(
  given: { path: string; label: string | null },
  attachmentId: string,
  field: string,
): Promise<Attachment> {
  const refuse = (rule: string): never => {
    throw new MailFault('attachment_unusable', `${field}.path: ${rule}`);
  };
  if (!isAbsolute(oneLine(given.path, `${field}.path`)))
    throw new MailRefusal(`${field}.path`, 'must be an absolute path');
  const label = given.label === null ? null : oneLine(given.label, `${field}.label`);
  try {
    const path = await realpath(given.path);
    if (oneLine(path, `${field}.path`) !== path)
      refuse('must not end with a blank, which the format does not keep');
    return {
      ...{ attachmentId, kind: 'path_ref', path },
      ...{ mediaType: mediaTypeOf(path), ...(await fileDigest(path, refuse)) },
      label: label ?? sanitiseLine(basename(path)),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof MailRefusal || error instanceof MailFault || code === undefined) throw error;
    return refuse(`cannot be read (${code})`);
  }
}
