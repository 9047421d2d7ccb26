import { basename } from 'node:path';
import { operator } from '../../message/operator-message.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { forgetRegistration } from '../registration/deregister.js';
import { entryPath, type MailPaths } from '../root/mail-paths.js';
import type { RegistrationRow } from '../tables/registration-table.js';

export interface CleanupOptions {
  /** How long ago the registration must have ended. */
  inactiveSeconds: number;
  stashedSeconds: number;
  /** Changes nothing, and reports what would be changed. */
  dryRun: boolean;
}

/** The decision about a registration, with its reason. */
export interface CleanupItem {
  row: RegistrationRow;
  fate: 'remove' | 'keep' | 'blocked';
  /** Whether its entry in `mailboxes/` is removed, too: not where a registration that stays has the same entry. */
  withEntry: boolean;
  reason: string;
}

/**
 * Removes ended registrations with their folders; messages stay. A folder that another registration has by now is left to it
 * (docs/decisions.md#mailboxes-without-an-agent).
 */
export const cleanUp = (root: MailRoot, options: CleanupOptions): Promise<CleanupItem[]> =>
  root.work(async () => {
    const planNow = () =>
      root.free(() =>
        planCleanup(root.index.registrations.all(), root.paths, { ...options, now: root.clock.now() }),
      );
    const planned = await planNow();
    if (options.dryRun) return planned;
    const addresses = planned.filter(({ fate }) => fate === 'remove').map(({ row }) => row.address);
    return root.locks.withIndex([...new Set(addresses)], async () => {
      // Planned again under the locks, when no other process can change the registrations; new ones wait for the next cleanup.
      const items = (await planNow()).filter(
        ({ row, fate }) => fate !== 'remove' || addresses.includes(row.address),
      );
      for (const item of items) if (item.fate === 'remove') await remove(root, item);
      return items;
    });
  });

/** Pure: decides about every registration. */
export function planCleanup(
  rows: readonly RegistrationRow[],
  paths: MailPaths,
  when: Pick<CleanupOptions, 'inactiveSeconds' | 'stashedSeconds'> & { now: Date },
): CleanupItem[] {
  const judged = rows.map((row) => ({ row, ...judge(row, paths, when) }));
  const staying = new Set(
    judged.filter(({ fate }) => fate !== 'remove').map(({ row }) => row.mailbox_entry_path),
  );
  return judged.map((item) => ({ ...item, withEntry: !staying.has(item.row.mailbox_entry_path) }));
}

function judge(
  row: RegistrationRow,
  paths: MailPaths,
  { now, inactiveSeconds, stashedSeconds }: Parameters<typeof planCleanup>[2],
): Pick<CleanupItem, 'fate' | 'reason'> {
  if (row.status === 'active') return { fate: 'keep', reason: 'it is active' };
  if (row.address === operator.address) return { fate: 'keep', reason: "it is the operator's" };
  const since = Date.parse(row.deactivated_at_utc ?? row.created_at_utc);
  const longest = row.status === 'stashed' ? stashedSeconds : inactiveSeconds;
  // A registration whose time cannot be read counts as old.
  if (now.getTime() - since < longest * 1000)
    return { fate: 'keep', reason: `it is ${row.status} for less than ${longest} s` };
  if (row.mailbox_entry_path !== entryPath(paths, basename(row.mailbox_entry_path)))
    return { fate: 'blocked', reason: `its entry is not in ${paths.mailboxes}` };
  return { fate: 'remove', reason: `it is ${row.status}` };
}

const remove = (root: MailRoot, { row, withEntry }: CleanupItem): Promise<void> =>
  forgetRegistration(root, row, {
    entry: withEntry ? row.mailbox_entry_path : null,
    doneWords: `${row.registration_id} is forgotten`,
  });
