import { findAccount, listAccounts } from '../../../mail/filesystem/admin/inspect-root.js';
import type { MailRoot } from '../../../mail/filesystem/mailbox/mail-root.js';
import { type DeregistrationMode, deregister } from '../../../mail/filesystem/registration/deregister.js';
import type { RegistrationMode } from '../../../mail/filesystem/registration/plan-registration.js';
import { type Registered, register } from '../../../mail/filesystem/registration/register.js';
import type { RegistrationRow } from '../../../mail/filesystem/tables/registration-table.js';
import { MailFault } from '../../../mail/message/mail-fault.js';
import { CommandFailure, exitCodes } from '../../words/command-failure.js';
import { accountLines, accountTable, registeredLines } from '../../words/mailbox-words.js';
import { type RootCall, withRoot } from './root.js';

export interface RegisterFlags {
  address: string;
  principalId: string;
  mode: RegistrationMode;
  yes?: boolean;
}

/** `mailbox register`. A registration in the way is replaced only with consent (docs/decisions.md#registrations). */
export const registerAccount = (call: RootCall, flags: RegisterFlags): Promise<void> =>
  withRoot(call, async (root) => {
    const done = await registered(root, flags);
    return {
      answer: { schema_version: 1, mailbox_root: root.paths.root, ...registrationAnswer(done) },
      lines: registeredLines(done),
    };
  });

/** Returns the result of a registration, for programs. */
export const registrationAnswer = ({
  mode,
  registration,
  replaced,
  stashed,
  reusedExisting,
}: Registered) => ({
  ok: true,
  mode,
  address: registration.address,
  active_registration_id: registration.registration_id,
  owner_principal_id: registration.owner_principal_id,
  status: registration.status,
  ...(reusedExisting && { reused_existing: true }),
  ...(replaced && { replaced_registration_id: replaced.registration_id }),
  ...(stashed && {
    stashed_registration_id: stashed.registrationId,
    stashed_mailbox_path: stashed.entryPath,
  }),
});

/**
 * Registers with the mode of the flags. `force` deletes the mailbox that makes room, so it also needs `--yes`: naming the mode
 * alone is no consent.
 */
async function registered(
  root: MailRoot,
  { address, principalId, mode, yes }: RegisterFlags,
): Promise<Registered> {
  const input = {
    kind: 'in_root' as const,
    mailboxPath: null,
    address,
    ownerPrincipalId: principalId,
    ...(await knownFacts(root, address, principalId)),
  };
  if (mode === 'stash' || (mode === 'force' && yes)) return register(root, { ...input, mode });
  try {
    return { ...(await register(root, { ...input, mode: 'safe' })), mode };
  } catch (error) {
    if (!(error instanceof MailFault) || error.code !== 'conflict') throw error;
    if (yes) return register(root, { ...input, mode: 'force' });
    throw new CommandFailure(
      `${error.message.replace(/; mode force.*$/, '')}; add --yes to replace it and the mail in its boxes, or --mode stash to keep it aside.`,
      mode === 'force' ? exitCodes.usage : exitCodes.failed,
      { errorCode: error.code },
    );
  }
}

/**
 * Returns the facts that an earlier registration of the same owner has, so that they are kept: a registration sets all of them.
 */
async function knownFacts(root: MailRoot, address: string, owner: string) {
  const known = (await listAccounts(root)).findLast(
    (row) => row.address === address.trim() && row.owner_principal_id === owner.trim(),
  );
  return {
    displayName: known?.display_name ?? null,
    role: known?.role ?? null,
    manifestPathHint: known?.manifest_path_hint ?? null,
  };
}

/** Returns the result of ending a registration, for programs. */
export const unregistrationAnswer = (
  { registration_id: id, address }: RegistrationRow,
  mode: DeregistrationMode,
) => ({
  ok: true,
  mode,
  address,
  target_registration_id: id,
  resulting_status: mode === 'purge' ? 'purged' : 'inactive',
  ...(mode === 'purge' ? { purged_registration_id: id } : { deactivated_registration_id: id }),
});

/** `mailbox unregister`. */
export const unregisterAccount = (
  call: RootCall,
  { address, mode }: { address: string; mode: DeregistrationMode },
): Promise<void> =>
  withRoot(call, async (root) => {
    const row = await deregister(root, address, mode);
    return {
      answer: { schema_version: 1, mailbox_root: root.paths.root, ...unregistrationAnswer(row, mode) },
      lines: [
        mode === 'purge'
          ? `${row.address} has no mailbox any more; the messages stay.`
          : `${row.address} receives no more mail; its mail is kept for a later registration.`,
      ],
    };
  });

/** `mailbox accounts list`. */
export const showAccounts = (call: RootCall): Promise<void> =>
  withRoot(call, async (root) => {
    const accounts = await listAccounts(root);
    return {
      answer: { schema_version: 1, mailbox_root: root.paths.root, accounts },
      lines: accountTable(accounts, call.output.time),
    };
  });

/** `mailbox accounts get`. */
export const showAccount = (call: RootCall, { address }: { address: string }): Promise<void> =>
  withRoot(call, async (root) => {
    const account = await findAccount(root, address);
    return {
      answer: { schema_version: 1, mailbox_root: root.paths.root, account },
      lines: accountLines(account, call.output.time),
    };
  });
