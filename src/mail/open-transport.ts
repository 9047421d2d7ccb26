import type { Clock } from '../foundation/clock.js';
import type { MailboxIdentity } from './facade/mail-answers.js';
import { FilesystemTransport } from './filesystem/filesystem-transport.js';
import { openMailRoot } from './filesystem/open-mail-root.js';
import type { MailTransport } from './transport/mail-transport.js';

/** What a session's manifest says of its mailbox. */
export type MailboxBinding =
  | (MailboxIdentity & { transport: 'filesystem'; filesystem_root: string; mailbox_path?: string | null })
  | (MailboxIdentity & { transport: 'stalwart' });

/**
 * Whoever opens it closes it.
 * @returns null for a kind of mailbox that this release does not speak with.
 * @throws {MailFault} where not even the place of the root can be told.
 */
export function openTransport(binding: MailboxBinding, clock: Clock): MailTransport | null {
  if (binding.transport !== 'filesystem') return null;
  const { address, principal_id: principalId, mailbox_path: mailboxPath = null } = binding;
  const owner = { address, principalId, mailboxPath };
  return new FilesystemTransport(openMailRoot(binding.filesystem_root, clock), owner);
}
