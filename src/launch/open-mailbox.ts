import { type Clock, toMicrosecondZulu } from '../foundation/clock.js';
import { openMailRoot } from '../mail/filesystem/open-mail-root.js';
import { bootstrap } from '../mail/filesystem/registration/bootstrap.js';
import { type DeregistrationMode, deregister } from '../mail/filesystem/registration/deregister.js';
import type { RegistrationMode } from '../mail/filesystem/registration/plan-registration.js';
import { type Registered, register } from '../mail/filesystem/registration/register.js';
import type { RegistrationRow } from '../mail/filesystem/tables/registration-table.js';
import { MailFault, MailRefusal } from '../mail/message/mail-fault.js';
import { defaultIdentity, type SessionNames } from '../mail/message/names.js';
import type { MailBinding } from '../session/manifest-schema.js';
import { LaunchFault, LaunchRefused } from './launch-fault.js';
import type { MailboxSettings } from './launch-request.js';

/** The owner of the mailbox, as it is shown to others. */
export interface MailboxOwner extends SessionNames {
  manifestPath: string;
  displayName: string | null;
}

/**
 * Makes the root if there is none, and the agent's mailbox in it. A mailbox that the agent had before is used again, with its
 * mail.
 * @param mode `safe` does not touch another owner's mailbox.
 * @returns the binding for the manifest, and the registration.
 * @throws {LaunchRefused}
 * @throws {LaunchFault} if the mailbox is registered, but cannot be used as it is.
 */
export async function openMailbox(
  settings: MailboxSettings,
  { manifestPath, displayName, ...names }: MailboxOwner,
  mode: RegistrationMode,
  clock: Clock,
): Promise<{ binding: MailBinding; registered: Registered }> {
  const root = openMailRoot(settings.root, clock);
  try {
    const usual = defaultIdentity(names);
    const principalId = settings.principalId ?? usual.principalId;
    await bootstrap(root);
    const registered = await register(root, {
      mode,
      address: settings.address ?? usual.address,
      displayName,
      kind: settings.accountFolder ? 'symlink' : 'in_root',
      mailboxPath: settings.accountFolder ?? null,
      ownerPrincipalId: principalId,
      manifestPathHint: manifestPath,
      role: names.role,
    }).catch(registeredAllTheSame);
    const { address, owner_principal_id, mailbox_kind, mailbox_path } = registered.registration;
    return {
      registered,
      binding: {
        transport: 'filesystem',
        principal_id: owner_principal_id,
        address,
        mailbox_kind,
        mailbox_path,
        filesystem_root: root.paths.root,
        bindings_version: toMicrosecondZulu(clock.now()),
      },
    };
  } catch (error) {
    if (!(error instanceof MailRefusal) && !(error instanceof MailFault)) throw error;
    const isInput = error instanceof MailRefusal || error.code === 'root_unusable';
    throw new LaunchRefused({ code: 'mailbox_refused', reason: error.message, isInput });
  } finally {
    root.close();
  }
}

/** Turns `state_late` into a fault instead of a refusal: the mailbox stays registered. */
function registeredAllTheSame(error: unknown): never {
  if (!(error instanceof MailFault) || error.code !== 'state_late') throw error;
  throw new LaunchFault(
    `The mailbox could not be given to the agent: ${error.message}. It stays registered; give it to the agent once this is fixed.`,
    { cause: error },
  );
}

/**
 * Removes a mailbox that {@link openMailbox} gave to its owner; messages stay. A mailbox that belongs to another owner by now is
 * not touched.
 */
export async function closeMailbox(
  binding: MailBinding,
  mode: DeregistrationMode,
  clock: Clock,
): Promise<RegistrationRow | null> {
  if (binding.transport !== 'filesystem') return null;
  const root = openMailRoot(binding.filesystem_root, clock);
  try {
    return await deregister(root, binding.address, mode, binding.principal_id);
  } finally {
    root.close();
  }
}

/** Returns the registry's description of a mailbox: its identity, but not its place in the root. */
export function mailboxRecord(mailbox: MailBinding | null): Record<string, unknown> | null {
  if (mailbox?.transport !== 'filesystem') return mailbox && { ...mailbox };
  const { mailbox_kind: _kind, mailbox_path: _path, ...record } = mailbox;
  return record;
}
