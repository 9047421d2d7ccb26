import { UnusableFile } from '../../../foundation/unusable-file.js';
import { MailFault } from '../../message/mail-fault.js';

/** What SQLite says of a file that is damaged behind its first page. */
export const isDamage = (error: unknown): boolean =>
  error instanceof UnusableFile || /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));

/**
 * Whether an error tells of one mailbox or message alone, such as one that is damaged or that only its owner may open. Others
 * go on then; a disk that is full, or a database that somebody holds, is everybody's.
 */
export function isOfOneMailbox(error: unknown): boolean {
  if (error instanceof MailFault) return error.code !== 'locked' && error.code !== 'machine';
  return (
    isDamage(error) ||
    /^SQLITE_(CANTOPEN|CONSTRAINT|READONLY_DIRECTORY|PERM|AUTH)/.test(codeOf(error)) ||
    /^(EACCES|EPERM|ENOENT|ENOTDIR|EISDIR|EEXIST|ENOTEMPTY|ELOOP|ENAMETOOLONG|EXDEV)$/.test(codeOf(error))
  );
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';
