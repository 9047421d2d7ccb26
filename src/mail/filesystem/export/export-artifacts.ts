import { chmodSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../../foundation/open-database.js';
import { checkMailbox } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { canonicalPath, linkTarget, type MailPaths } from '../root/mail-paths.js';
import type { MessageHeading } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { ArchiveFolder } from './archive-folder.js';
import type { Artifact, ExportPlan, PlacedRow } from './export-plan.js';

/**
 * Exports the boxes of accounts, and the states of what their owners have read, answered and moved. To be called
 * under the locks of their addresses.
 * @throws {MailFault} `mailbox_damaged` where an active mailbox is not complete.
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

/** Returns the entry of an account for the manifest of an archive, and for the file beside its boxes. */
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
  address,
  registration_id,
  registration_status: status,
});

const nameless = (row: RegistrationRow): Artifact => ({
  outcome: 'blocked',
  kind: 'mailbox_registration',
  source: row.mailbox_entry_path,
  place: null,
  reason: 'its address or its id is not a folder name',
  of: ofAccount(row),
});

/** Exports the states of a mailbox. An inactive mailbox may be gone, or have another owner by now: so its states are skipped. */
async function exportState(archive: ArchiveFolder, row: RegistrationRow, place: string): Promise<Artifact> {
  const source = join(row.mailbox_path, 'mailbox.sqlite');
  const artifact = (outcome: Artifact['outcome'], reason: string): Artifact => ({
    outcome,
    kind: 'mailbox_local_state',
    reason,
    source,
    of: ofAccount(row),
    place: outcome === 'copied' ? place : null,
  });
  if (row.status === 'inactive')
    return artifact('skipped', 'its folder may be another registration’s by now');
  const file = lstatSync(source, { throwIfNoEntry: false });
  if (!file) return artifact('skipped', 'it is missing');
  if (!file.isFile()) return artifact('blocked', 'it is not a regular file');
  try {
    await copyState(source, archive.inside(place));
  } catch (error) {
    if (row.status === 'active') throw error;
    return artifact('blocked', (error as Error).message);
  }
  chmodSync(archive.inside(place), 0o600);
  return artifact('copied', 'what its owner read, answered and moved');
}

export type SymlinkMode = 'materialize' | 'preserve';

/** Copies the files of messages unchanged, also those that cannot be read as a message. */
export async function exportMessages(
  paths: MailPaths,
  archive: ArchiveFolder,
  messages: readonly PlacedRow<MessageHeading>[],
): Promise<Artifact[]> {
  const artifacts: Artifact[] = [];
  for (const { row, place } of messages) {
    const { message_id, canonical_path: source } = row;
    const obstacle = place === null ? 'its id or its time is not a file name' : obstacleOf(paths, row);
    if (place !== null && obstacle === null) await archive.copy(source, place);
    artifacts.push({
      kind: 'canonical_message',
      source,
      of: { message_id },
      ...(obstacle === null
        ? { outcome: 'copied', reason: 'a message', place }
        : { outcome: 'blocked', reason: obstacle, place: null }),
    });
  }
  return artifacts;
}

/** Returns why a message is left out: a file in another place, or one that is reached through a link, is not exported. */
function obstacleOf(
  paths: MailPaths,
  { message_id, created_at_utc, canonical_path }: MessageHeading,
): string | null {
  const own = canonicalPath(paths, { messageId: message_id, createdAtUtc: created_at_utc });
  if (canonical_path !== own) return `it belongs to ${own}`;
  if (!lstatSync(dirname(own), { throwIfNoEntry: false })?.isDirectory())
    return 'its folder is missing or a link';
  const file = lstatSync(own, { throwIfNoEntry: false });
  return file?.isFile() ? null : file ? 'it is not a regular file' : 'it is missing';
}

/**
 * Puts messages into the boxes of the archive, as files or as links to its own copies.
 * @param messages the results for the messages.
 */
export async function exportProjections(
  archive: ArchiveFolder,
  projections: ExportPlan['projections'],
  messages: readonly Artifact[],
  mode: SymlinkMode,
): Promise<Artifact[]> {
  const copied = new Map(messages.map(({ of, place }) => [of.message_id, place]));
  const artifacts: Artifact[] = [];
  for (const { row, place, account, message } of projections) {
    const target = copied.get(row.message_id) ?? null;
    const obstacle =
      place === null ? 'its box is not a folder name' : linkObstacle(row.projection_path, target, message);
    const done = place !== null && target !== null && obstacle === null;
    if (done && mode === 'preserve') archive.link(place, target);
    else if (done) await archive.copy(archive.inside(target), place);
    artifacts.push({
      kind: 'mailbox_projection',
      source: row.projection_path,
      place: done ? place : null,
      outcome: !done ? 'blocked' : mode === 'preserve' ? 'preserved_symlink' : 'materialized',
      reason: obstacle ?? `in ${row.folder_name}`,
      of: {
        address: account.address,
        registration_id: account.registration_id,
        registration_status: account.status,
        message_id: row.message_id,
      },
    });
  }
  return artifacts;
}

function linkObstacle(
  link: string,
  target: string | null,
  { row }: PlacedRow<MessageHeading>,
): string | null {
  if (target === null) return 'its message is not in the archive';
  return linkTarget(link) === row.canonical_path ? null : 'there is not a link to its message';
}

/** Exports the copies that a root keeps of attachments; files elsewhere are only reported. */
export async function exportAttachments(
  paths: MailPaths,
  archive: ArchiveFolder,
  attachments: ExportPlan['attachments'],
): Promise<Artifact[]> {
  const artifacts: Artifact[] = [];
  const copied = new Set<string>();
  for (const { row, place } of attachments) {
    const { attachment_id, message_id, locator: source, kind } = row;
    const report = (outcome: Artifact['outcome'], reason: string): void => {
      const own = { kind: kind === 'managed_copy' ? 'managed_attachment' : 'path_ref_attachment' } as const;
      const of = { attachment_id, message_id };
      artifacts.push({ ...own, outcome, reason, source, of, place: outcome === 'copied' ? place : null });
    };
    if (kind !== 'managed_copy') report('skipped', 'it stays where it lies');
    else if (place === null) report('blocked', 'its id or its file has no name of a file');
    else if (source !== join(paths.root, place))
      report('blocked', `it is not in ${paths.managedAttachments}`);
    else if (!isFileItself(source)) report('blocked', 'it is missing, or no regular file');
    else {
      if (!copied.has(place)) await archive.copy(source, place);
      copied.add(place);
      report('copied', 'a copy that the root keeps');
    }
  }
  return artifacts;
}

const isFileItself = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true &&
  lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true;

/** Copies a SQLite file in a state between two transactions of its writers, into a file that does not exist yet. */
async function copyState(source: string, target: string): Promise<void> {
  const database = openDatabase(source, { readonly: true, fileMustExist: true });
  try {
    await database.backup(target);
  } finally {
    database.close();
  }
}
