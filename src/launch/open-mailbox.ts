import type { Clock } from '../foundation/clock.js';
import { toMicrosecondZulu } from '../foundation/timestamps.js';
import { openMailRoot } from '../mail/filesystem/open-mail-root.js';
import { bootstrap } from '../mail/filesystem/registration/bootstrap.js';
import { register } from '../mail/filesystem/registration/register.js';
import { entryPath } from '../mail/filesystem/root/mail-paths.js';
import { defaultIdentity } from '../mail/message/default-identity.js';
import { MailFault } from '../mail/message/mail-fault.js';
import { MailRefusal } from '../mail/message/mail-refusal.js';
import type { Manifest } from '../session/manifest-schema.js';
import { LaunchRefused } from './launch-fault.js';
import type { LaunchRequest } from './launch-request.js';

export type MailBinding = NonNullable<Manifest['launch_plan']['mailbox']>;

/**
 * Makes the root where there is none, and the agent's mailbox in it. One that the agent had before is used again, with its
 * mail; another owner's is left alone.
 * @returns what the manifest says of it; null for an agent without one.
 * @throws {LaunchRefused}
 */
export async function openMailbox(
  { mailbox, name, tool, roleName }: LaunchRequest,
  manifestPath: string,
  clock: Clock,
): Promise<MailBinding | null> {
  if (mailbox === null) return null;
  const root = openMailRoot(mailbox.root, clock);
  try {
    const usual = defaultIdentity({ tool, role: roleName, identity: name });
    const principalId = mailbox.principalId ?? usual.principalId;
    const address = (mailbox.address ?? usual.address).trim();
    await bootstrap(root);
    await register(root, {
      ...{ mode: 'safe', kind: 'in_root', mailboxPath: null, address, ownerPrincipalId: principalId },
      ...{ displayName: null, manifestPathHint: manifestPath, role: roleName },
    });
    return {
      ...{ transport: 'filesystem', principal_id: principalId, address },
      ...{ filesystem_root: root.paths.root, bindings_version: toMicrosecondZulu(clock.now()) },
      ...{ mailbox_kind: 'in_root', mailbox_path: entryPath(root.paths, address) },
    };
  } catch (error) {
    if (error instanceof MailRefusal || error instanceof MailFault)
      throw new LaunchRefused({ code: 'mailbox_refused', reason: error.message });
    throw error;
  } finally {
    root.close();
  }
}
