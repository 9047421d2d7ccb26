import { chmodSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { MailRoot } from '../mailbox/mail-root.js';
import { checkMailbox } from '../mailbox/mailbox-folder.js';
import { linkTarget } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { ArchiveFolder } from './archive-folder.js';
import type { Artifact } from './artifact.js';
import { copyState } from './copy-state.js';
import type { ExportPlan } from './export-plan.js';

/**
 * The boxes of accounts, and what their owners have read, answered and moved. To be called under the locks of their addresses.
 * @throws {MailFault} `mailbox_damaged` where an active mailbox is not whole.
 */
export async function exportAccounts(
  root: MailRoot,
  archive: ArchiveFolder,
  accounts: ExportPlan['accounts'],
): Promise<Artifact[]> {
  const artifacts: Artifact[] = [];
  for (const { row, place, boxes } of accounts) {
    if (row.status === 'active') checkMailbox(root.paths, row);
    if (place === null) artifacts.push(nameless(row));
    else {
      for (const box of boxes) archive.folder(`${place}/${box}`);
      artifacts.push(await exportState(archive, row, `${place}/mailbox.sqlite`));
    }
  }
  return artifacts;
}

/** What the manifest of an archive, and the file beside its boxes, say of an account. */
export const accountEntry = (
  { row, place }: ExportPlan['accounts'][number],
  artifacts: readonly Artifact[],
) => ({
  ...row,
  source_mailbox_path: row.mailbox_path,
  source_mailbox_entry_path: row.mailbox_entry_path,
  source_mailbox_entry_is_symlink: linkTarget(row.mailbox_entry_path) !== null,
  source_mailbox_entry_target: linkTarget(row.mailbox_entry_path),
  archive_account_path: place,
  archive_local_sqlite_path: artifacts.find(isStateOf(row))?.place ?? null,
});

const isStateOf =
  ({ registration_id: id }: RegistrationRow) =>
  ({ kind, outcome, of }: Artifact): boolean =>
    kind === 'mailbox_local_state' && outcome === 'copied' && of.registration_id === id;

const ofAccount = ({ address, registration_id, status }: RegistrationRow): Artifact['of'] => ({
  ...{ address, registration_id, registration_status: status },
});

const nameless = (row: RegistrationRow): Artifact => ({
  ...{ outcome: 'blocked', kind: 'mailbox_registration', source: row.mailbox_entry_path, place: null },
  ...{ reason: 'its address or its id is not a folder name', of: ofAccount(row) },
});

/** A mailbox that is over may have gone, or have been taken over: whose its states are is not known then. */
async function exportState(archive: ArchiveFolder, row: RegistrationRow, place: string): Promise<Artifact> {
  const source = join(row.mailbox_path, 'mailbox.sqlite');
  const told = (outcome: Artifact['outcome'], reason: string): Artifact => ({
    ...{ outcome, kind: 'mailbox_local_state', reason, source, of: ofAccount(row) },
    place: outcome === 'copied' ? place : null,
  });
  if (row.status === 'inactive') return told('skipped', 'its folder may be another registration’s by now');
  const file = lstatSync(source, { throwIfNoEntry: false });
  if (!file) return told('skipped', 'it is missing');
  if (!file.isFile()) return told('blocked', 'it is not a regular file');
  try {
    await copyState(source, archive.inside(place));
  } catch (error) {
    if (row.status === 'active') throw error;
    return told('blocked', (error as Error).message);
  }
  chmodSync(archive.inside(place), 0o600);
  return told('copied', 'what its owner read, answered and moved');
}
