import { renameSync } from 'node:fs';
import { basename } from 'node:path';
import { UnusableFile } from '../../../foundation/faults.js';
import { MailFault } from '../../message/mail-fault.js';
import { newHexId, toMailStamp } from '../../message/message-id.js';
import { makeMailbox } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { seedStates } from '../mailbox/seed-states.js';
import { backupPath } from '../root/mail-paths.js';
import { whenFree } from '../root/shared-database.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import { entryState, moveAway, settleCommitted, stashPath } from './entry-on-disk.js';
import {
  checkRequest,
  type Displaced,
  planRegistration,
  type RegistrationInput,
  type RegistrationMode,
  type RegistrationRequest,
} from './plan-registration.js';

/** In bytes: the longest name that every file system takes. */
const longestName = 255;

export interface Registered {
  mode: RegistrationMode;
  registration: RegistrationRow;
  reusedExisting: boolean;
  replaced: RegistrationRow | null;
  /** The stashed row and the present path of its entry; null where nothing was stashed. */
  stashed: { registrationId: string; entryPath: string } | null;
}

/**
 * Gives an address its mailbox. A mailbox in its place is moved away first and removed only when the index has the new one.
 * @throws {MailRefusal} for the input, {MailFault} `conflict` for what is in its place. Nothing is changed then, unless the code
 * is `state_late`: the address is registered.
 */
export const register = (root: MailRoot, input: RegistrationInput): Promise<Registered> =>
  root.work(() => {
    const request = checkRequest(root.paths, input);
    return root.locks.withIndex([request.address], () => registerLocked(root, request));
  });

/** Does the same for a caller that holds the locks of the address and of the index. */
async function registerLocked(root: MailRoot, request: RegistrationRequest): Promise<Registered> {
  const { index } = root;
  const plan = await root.free(() =>
    index.database.readAtOnce(() =>
      planRegistration(request, {
        active: index.registrations.active(request.address),
        atEntry: index.registrations.atEntry(request.entryPath),
        atPath: index.registrations.activeAtPath(request.mailboxPath),
        onDisk: entryState(request),
      }),
    ),
  );
  if (plan.do === 'refuse') throw new MailFault('conflict', plan.reason);
  if (plan.do !== 'create') return keep(root, request, plan.row);
  return create(root, request, plan.replaces, plan.displaced);
}

async function keep(
  root: MailRoot,
  request: RegistrationRequest,
  known: RegistrationRow,
): Promise<Registered> {
  makeMailbox(request);
  makeDatabase(root, request);
  const registration: RegistrationRow = {
    ...known,
    status: 'active',
    deactivated_at_utc: null,
    replaced_by_registration_id: null,
    display_name: request.displayName,
    manifest_path_hint: request.manifestPathHint,
    role: request.role,
  };
  await root.free(() => root.index.database.transact(() => root.index.registrations.update(registration)));
  await committed(registration, () => seedStates(root, registration));
  return { mode: request.mode, registration, reusedExisting: true, replaced: null, stashed: null };
}

async function create(
  root: MailRoot,
  request: RegistrationRequest,
  replaces: RegistrationRow | null,
  displaced: Displaced,
): Promise<Registered> {
  const now = toMailStamp(root.clock.now());
  const registration: RegistrationRow = {
    registration_id: `reg-${newHexId()}`,
    address: request.address,
    status: 'active',
    owner_principal_id: request.ownerPrincipalId,
    mailbox_kind: request.kind,
    mailbox_path: request.mailboxPath,
    mailbox_entry_path: request.entryPath,
    display_name: request.displayName,
    manifest_path_hint: request.manifestPathHint,
    role: request.role,
    created_at_utc: now,
    deactivated_at_utc: null,
    replaced_by_registration_id: null,
  };
  const stashedAt = displaced === 'stash' ? stashPath(request.entryPath) : null;
  if (stashedAt !== null && Buffer.byteLength(basename(stashedAt)) > longestName)
    throw new MailFault(
      'conflict',
      `${request.address} is too long a name for its mailbox to be set aside; mode force replaces it`,
    );
  const moved =
    displaced === 'keep' ? null : moveAway(root.paths, request.entryPath, replaces?.registration_id ?? null);
  const old = replaces && displacedRow(replaces, { stashedAt, by: registration.registration_id, now });
  try {
    makeMailbox(request);
    makeDatabase(root, request);
    await root.free(() => root.index.database.transact(() => replaceRow(root, old, registration)));
  } catch (error) {
    moved?.undo();
    throw error;
  }
  if (moved) settleCommitted(moved, stashedAt, `${request.address} is registered`);
  await committed(registration, () => startStates(root, registration));
  return {
    mode: request.mode,
    registration,
    reusedExisting: false,
    replaced: stashedAt === null ? old : null,
    stashed: old && stashedAt !== null ? { registrationId: old.registration_id, entryPath: stashedAt } : null,
  };
}

/** Does the work after the commit: a mailbox that the index has is registered, whatever fails from then on. */
async function committed({ address }: RegistrationRow, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new MailFault(
      'state_late',
      `${address} is registered, but its mailbox state was not updated after commit; repair the mailbox: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function displacedRow(
  row: RegistrationRow,
  { stashedAt, by, now }: { stashedAt: string | null; by: string; now: string },
): RegistrationRow {
  const displaced = {
    ...row,
    deactivated_at_utc: row.deactivated_at_utc ?? now,
    replaced_by_registration_id: by,
  };
  if (stashedAt === null) return { ...displaced, status: 'inactive' };
  const mailbox_path = row.mailbox_kind === 'in_root' ? stashedAt : row.mailbox_path;
  return { ...displaced, status: 'stashed', mailbox_entry_path: stashedAt, mailbox_path };
}

/**
 * Replaces a row. The old one makes room first, because an address has one active row; and it can name the
 * new one only when that exists.
 */
function replaceRow({ index }: MailRoot, old: RegistrationRow | null, row: RegistrationRow): void {
  if (old) index.registrations.update({ ...old, replaced_by_registration_id: null });
  if (old?.status === 'inactive') {
    index.projections.deleteOfRegistration(old.registration_id);
    index.registrations.deleteOldState(old.registration_id);
  }
  index.registrations.insert(row);
  if (old) index.registrations.update(old);
}

function makeDatabase(root: MailRoot, request: RegistrationRequest): void {
  const { database } = root.database(request.mailboxPath);
  try {
    database.create();
  } catch (error) {
    // A caller that forces a registration onto a private folder accepts an empty database there; the old one is kept.
    if (!(error instanceof UnusableFile) || request.kind !== 'symlink' || request.mode !== 'force')
      throw error;
    renameSync(database.path, backupPath(database.path, 'local-unusable', root.clock.now()));
    database.create();
  }
}

async function startStates(root: MailRoot, registration: RegistrationRow): Promise<void> {
  if (registration.mailbox_kind === 'in_root') {
    const { database, states } = root.database(registration.mailbox_path);
    await whenFree(root.clock, database.path, () => database.transact(() => states.deleteAll()));
  }
  await seedStates(root, registration);
}
