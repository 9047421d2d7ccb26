import type { Clock } from '../foundation/clock.js';
import { UnusableFile } from '../foundation/faults.js';
import type { MailboxIdentity } from './facade/mail-answers.js';
import { FilesystemTransport } from './filesystem/filesystem-transport.js';
import { openMailRoot } from './filesystem/open-mail-root.js';
import { readCredential } from './jmap/client/credential-file.js';
import { refusalMemory } from './jmap/client/sign-in-guard.js';
import { JmapTransport } from './jmap/jmap-transport.js';
import { MailFault } from './message/mail-fault.js';
import type { MailTransport } from './transport/mail-transport.js';

/** What a session's manifest says of its mailbox. */
export type MailboxBinding =
  | (MailboxIdentity & { transport: 'filesystem'; filesystem_root: string; mailbox_path?: string | null })
  | (MailboxIdentity & {
      transport: 'stalwart';
      jmap_url: string;
      login_identity: string;
      credential_ref: string;
    });

/** What a mailbox is opened with. */
export interface MailHost {
  clock: Clock;
  /** The path of the file with that credential, as it is now. @throws {UnusableFile} */
  credentialFile: (ref: string) => string;
  /** Where programs of this host note that it was refused; null for a credential that a person gives just now. */
  refusalNote: (ref: string) => string | null;
}

/**
 * Whoever opens it closes it. A mail server is not asked for anything yet.
 * @throws {MailFault} where not even the place of a root can be told.
 */
export function openTransport(
  binding: MailboxBinding,
  { clock, credentialFile, refusalNote }: MailHost,
): MailTransport {
  const { address, principal_id: principalId } = binding;
  if (binding.transport === 'stalwart') {
    const { jmap_url: jmapUrl, login_identity: login, credential_ref: ref } = binding;
    const credential = () => usable(() => readCredential(credentialFile(ref), login));
    const refusals = refusalMemory(refusalNote(ref));
    return new JmapTransport({ jmapUrl, credential, refusals, owner: { address, principalId }, clock });
  }
  const owner = { address, principalId, mailboxPath: binding.mailbox_path ?? null };
  return new FilesystemTransport(openMailRoot(binding.filesystem_root, clock), owner);
}

/** A credential that cannot be read may be replaced in a moment: the mailbox is the agent's all the same. */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw new MailFault('unauthorized', error.message, { cause: error });
  }
}
