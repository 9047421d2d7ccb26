import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join, parse } from 'node:path';
import { makeFolder } from '../../../foundation/make-folder.js';
import { MailFault } from '../../message/mail-fault.js';
import { newHexId, toCompactMailStamp, toMailStamp } from '../../message/message-id.js';
import { parseEntryName } from '../../message/names.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { displacedPrefix, isUnused, settleDisplaced } from '../registration/entry-on-disk.js';
import { isDamage, isOfOneMailbox } from '../root/faults.js';
import {
  backupPath,
  checkFolders,
  foldersOf,
  isBelow,
  linkTarget,
  type MailPaths,
  noRoot,
  realPathOf,
} from '../root/mail-paths.js';
import { MailIndex } from '../tables/mail-databases.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import {
  askMailboxes,
  type FoundEntry,
  inferRegistrations,
  lostEntries,
  projectFound,
  reconcileIndex,
} from './reconcile-index.js';
import { type RestoredStates, restoreEntry, restoreStates } from './restore-mailbox.js';
import { type DamagedFile, type ScannedMessages, scanMessages } from './scan-messages.js';

export interface RepairOptions {
  /** The treatment of remains in staging/: kept aside, removed, or left alone. */
  staging: 'quarantine' | 'remove' | 'leave';
}

export interface RepairResult {
  messageCount: number;
  projectionCount: number;
  registrationCount: number;
  restoredStateCount: number;
  defaultedStateCount: number;
  stagingPaths: string[];
  /** The path where an unreadable index is kept; null where it could be read. */
  backedUpIndex: string | null;
  /** The paths of message files that are missing: the index no longer has these messages. */
  forgotten: string[];
  /** Files that are no messages of the format, and anything that is in the place of a mailbox: they are left unchanged. */
  damaged: DamagedFile[];
}

/** Longer than any delivery waits for its locks: an older file in staging/ belongs to no running delivery. */
const stagedMilliseconds = 10 * 60_000;

/**
 * Brings index, links and states in line with the message files. Registrations, flags and boxes stay as they are. An index that
 * can be read is changed in one transaction; one that cannot is kept aside once a new one is complete, and its content is
 * restored from mailboxes and messages (docs/decisions.md#repair).
 * @throws {MailFault} `root_unusable` where the root has another format.
 */
export const repairRoot = (root: MailRoot, options: RepairOptions): Promise<RepairResult> =>
  root.attempt(() => repair(root, options));

async function repair(root: MailRoot, { staging }: RepairOptions): Promise<RepairResult> {
  checkFolders(root.paths);
  if (!existsSync(root.paths.marker)) throw noRoot(root.paths);
  for (const folder of foldersOf(root.paths)) makeFolder(folder);
  const addresses = entriesOf(root.paths).flatMap(({ name }) => parseEntryName(name)?.address ?? []);
  return root.locks.withIndex(addresses, async () => {
    const scanned = await scanMessages(root.paths);
    const { backedUpIndex, forgotten } = await repairIndex(root, scanned);
    const states = await restoreMailboxes(root);
    const { registrations, messages, projections } = root.index;
    const counts = await root.free(() => ({
      messageCount: messages.ids().length,
      projectionCount: projections.count(),
      registrationCount: registrations.all().length,
    }));
    return {
      ...counts,
      backedUpIndex,
      forgotten,
      damaged: [...scanned.damaged, ...states.unusable],
      restoredStateCount: states.kept,
      defaultedStateCount: states.added,
      stagingPaths: staging === 'leave' ? [] : clearLeft(root, staging === 'quarantine'),
    };
  });
}

async function repairIndex(
  root: MailRoot,
  scanned: ScannedMessages,
): Promise<Pick<RepairResult, 'backedUpIndex' | 'forgotten'>> {
  const facts = { paths: root.paths, scanned, boxesOnDisk: askMailboxes(root) };
  if (await root.free(() => isReadable(root.index))) {
    await root.free(() => checkMessages(root));
    settleDisplaced(root.paths, await root.free(() => root.index.registrations.all()));
    const forgotten = await root.free(() =>
      root.index.database.transact(() => {
        const found = addRegistrations(root, root.index, scanned);
        const gone = reconcileIndex(root.index, facts);
        projectFound(root.index, found, facts.boxesOnDisk);
        return gone;
      }),
    );
    return { backedUpIndex: null, forgotten };
  }
  const path = `${root.paths.index}.new-${newHexId()}`;
  const fresh = new MailIndex(path);
  try {
    fresh.database.create();
    fresh.database.transact(() => {
      addRegistrations(root, fresh, scanned);
      reconcileIndex(fresh, facts);
    });
  } catch (error) {
    fresh.database.close();
    rmSync(path, { force: true });
    throw error;
  }
  fresh.database.close();
  return { backedUpIndex: exchange(root, path), forgotten: [] };
}

/**
 * Refuses to repair where all messages are missing: if their disk is only not mounted, everything that
 * is known of them would be lost.
 */
function checkMessages({ index, paths: { messages } }: MailRoot): void {
  const known = index.messages.ids().length;
  if (known > 0 && readdirSync(messages).length === 0)
    throw new MailFault(
      'mailbox_damaged',
      `${messages}: is empty, but the index knows ${known} messages; restore its content (is its disk mounted?), or remove them from the index with \`mailbox clear-messages\``,
    );
}

/** Adds the registrations of mailboxes that the index does not have. @returns the added rows. */
function addRegistrations(
  { paths, clock }: MailRoot,
  index: MailIndex,
  { owners }: ScannedMessages,
): RegistrationRow[] {
  const lost = lostEntries(entriesOf(paths), index.registrations.all(), (path) => isUnused(path));
  const rows = inferRegistrations(lost, owners, toMailStamp(clock.now()));
  for (const row of rows) index.registrations.insert(row);
  return rows;
}

function isReadable(index: MailIndex): boolean {
  try {
    index.database.require();
    return index.database.isSound();
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** Puts the new index in place. The old one keeps its journal, which would otherwise be taken for the new one's. */
function exchange(root: MailRoot, fresh: string): string | null {
  const { index } = root.paths;
  root.index.database.close();
  const kept = backupPath(index, 'unusable', root.clock.now());
  const exists = lstatSync(index, { throwIfNoEntry: false }) !== undefined;
  for (const suffix of exists ? ['-journal', ''] : [])
    if (existsSync(index + suffix)) renameSync(index + suffix, kept + suffix);
  renameSync(fresh, index);
  return exists ? kept : null;
}

async function restoreMailboxes(root: MailRoot): Promise<RestoredStates & { unusable: DamagedFile[] }> {
  const sum = { kept: 0, added: 0, unusable: [] as DamagedFile[] };
  for (const row of await root.free(() => root.index.registrations.all())) {
    if (row.status !== 'active') continue;
    try {
      if (!restoreEntry(root.paths, row)) {
        await deactivate(root, row);
        const reason = `${row.mailbox_path}: is missing; the mailbox is inactive now`;
        sum.unusable.push({ path: row.mailbox_entry_path, reason });
        continue;
      }
      const { kept, added } = await restoreStates(root, row);
      sum.kept += kept;
      sum.added += added;
    } catch (error) {
      if (!(error instanceof MailFault || isOfOneMailbox(error))) throw error;
      sum.unusable.push({ path: row.mailbox_entry_path, reason: (error as Error).message });
    }
  }
  return sum;
}

/** Deactivates a registration whose private folder is gone: nothing can be delivered there. */
const deactivate = (root: MailRoot, row: RegistrationRow): Promise<void> =>
  root.free(() =>
    root.index.database.transact(() =>
      root.index.registrations.update({
        ...row,
        status: 'inactive',
        deactivated_at_utc: toMailStamp(root.clock.now()),
      }),
    ),
  );

/** Returns the entries of `mailboxes/`. A link whose target is no mailbox is left out: it may lead anywhere. */
const entriesOf = ({ mailboxes, root }: MailPaths): FoundEntry[] =>
  readdirSync(mailboxes)
    .map((name) => ({ name, path: join(mailboxes, name) }))
    .map((entry) => ({ ...entry, target: linkTarget(entry.path) }))
    .filter(({ target }) => target === null || isPrivateMailbox(root, target));

const isPrivateMailbox = (root: string, path: string): boolean =>
  !isBelow(path, root) && existsSync(join(path, 'mailbox.sqlite')) && realPathOf(path) === path;

function clearLeft(root: MailRoot, keep: boolean): string[] {
  const now = root.clock.now();
  const isLeft = (path: string): boolean => now.getTime() - lstatSync(path).mtimeMs > stagedMilliseconds;
  return clearStaging(root.paths, { stamp: toCompactMailStamp(now), keeps: keep, isLeft });
}

/**
 * Clears the remains of incomplete deliveries from staging/. To be called under the lock of the index: a delivery stages its
 * document before it takes its locks, so a document is left alone until it is old.
 * @param stamp names the folder in quarantine.
 * @param keeps where false, remains are removed, except a mailbox that was moved away: it may hold the only
 * record of what was read in it.
 * @returns the paths that they had.
 */
function clearStaging(
  { staging, quarantine }: MailPaths,
  { stamp, keeps, isLeft }: { stamp: string; keeps: boolean; isLeft: (path: string) => boolean },
): string[] {
  const left = readdirSync(staging)
    .map((name) => join(staging, name))
    .filter((path) => path !== quarantine)
    .filter(isLeft);
  for (const path of left)
    if (keeps || basename(path).startsWith(displacedPrefix))
      renameSync(path, freeName(join(quarantine, stamp), parse(path)));
    else rmSync(path, { recursive: true, force: true });
  return left;
}

function freeName(folder: string, { name, ext }: { name: string; ext: string }): string {
  makeFolder(folder);
  for (let count = 0; ; count += 1) {
    const path = join(folder, `${name}${count === 0 ? '' : `-${count}`}${ext}`);
    if (!existsSync(path)) return path;
  }
}
