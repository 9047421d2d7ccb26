import { UnusableFile } from '../../../foundation/faults.js';
import { obstacleOf, systemFaultOf } from '../../../foundation/system-fault.js';
import { storageFaultOf } from '../../../storage/storage-fault.js';
import { MailFault, type MailFaultCode } from '../../message/mail-fault.js';

/**
 * Turns an error of the machine, such as a full disk or a read-only file system, into a fault for the users of mail;
 * other errors stay as they are.
 */
export function asMailFault(error: unknown, path: string): unknown {
  const cause = { cause: error };
  if (error instanceof UnusableFile) return new MailFault('mailbox_damaged', error.message, cause);
  const system = systemFaultOf(error, path);
  if (system !== null) return new MailFault('machine', system, cause);
  const { syscall, message } = error as NodeJS.ErrnoException;
  const obstacle = obstacleOf(error, path);
  if (obstacle !== null) return new MailFault('machine', obstacle, cause);
  if (syscall !== undefined) return new MailFault('machine', message, cause);
  const storage = storageFaultOf(error, { path, thing: 'mailbox', program: 'gateway' });
  if (storage === null) return error;
  if (storage.code === 'damaged') {
    const what = `${path}: a database in it is damaged (${(error as Error).message})`;
    return new MailFault(
      'mailbox_damaged',
      `${what}; houmao-mgr mailbox repair --mailbox-root ${path}`,
      cause,
    );
  }
  const codes: Readonly<Record<string, MailFaultCode>> = { locked: 'locked' };
  const code = codes[storage.code] ?? 'machine';
  return new MailFault(code, `${storage.reason}; ${storage.remedy}`, cause);
}

/** Decides whether an error reports damage, such as SQLite's codes for a file that is damaged behind its first page. */
export const isDamage = (error: unknown): boolean =>
  error instanceof UnusableFile || /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));

/**
 * Decides whether an error concerns only one mailbox or message, such as one that is damaged or that only its owner may open.
 * Work on the others continues then; a full disk, or a database that another process holds, concerns all of them.
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
