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

/** The mailbox that a session's manifest names. */
export type MailboxBinding =
  | (MailboxIdentity & { transport: 'filesystem'; filesystem_root: string; mailbox_path?: string | null })
  | (MailboxIdentity & {
      transport: 'stalwart';
      jmap_url: string;
      login_identity: string;
      credential_ref: string;
    });

/** The resources that a mailbox needs to be opened. */
export interface MailHost {
  clock: Clock;
  /** Returns the path of the file with the present credential. @throws {UnusableFile} */
  credentialFile: (ref: string) => string;
  /**
   * Returns the path where programs of this host note that it was refused; null for a credential that a person has just given.
   */
  refusalNote: (ref: string) => string | null;
}

/**
 * Opens a mailbox; the caller must close it. A mail server is not called yet.
 * @throws {MailFault} where not even the path of a root can be found out.
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

/**
 * Reports a credential that cannot be read as a fault of its mailbox: the file may be replaced in a moment, and
 * the mailbox is still the agent's.
 */
function usable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    throw new MailFault('unauthorized', error.message, { cause: error });
  }
}
