import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { activeRegistration, requirePath } from './mailbox/active-mailbox.js';
import type { MailRoot } from './mailbox/mail-root.js';
import { entryPath, realPathOf } from './root/mail-paths.js';

export interface MailboxPlace {
  root: string;
  mailboxPath: string;
  inboxPath: string;
  sqlitePath: string;
  localSqlitePath: string;
}

/**
 * Where a mailbox lies. In a root that is none yet it is said where it would lie.
 * @param expected the folder that whoever asks takes it for; null for the one in the root.
 * @throws {MailFault} when the address has no active mailbox, or another folder.
 */
export async function mailboxPlace(
  root: MailRoot,
  address: string,
  expected: string | null,
): Promise<MailboxPlace> {
  const { paths } = root;
  const mailboxPath = expected === null ? entryPath(paths, address) : realPathOf(expected);
  if (existsSync(paths.marker) || existsSync(paths.index))
    requirePath(await root.work(() => root.free(() => activeRegistration(root, address))), mailboxPath);
  return {
    ...{ root: paths.root, mailboxPath, inboxPath: join(mailboxPath, 'inbox'), sqlitePath: paths.index },
    localSqlitePath: join(mailboxPath, 'mailbox.sqlite'),
  };
}
