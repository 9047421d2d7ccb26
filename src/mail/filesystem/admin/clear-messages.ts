import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MailRoot } from '../mailbox/mail-root.js';
import { linksIn } from '../mailbox/projection-links.js';
import { messageFiles } from '../repair/find-message-files.js';
import { isBelow, linkTarget } from '../root/mail-paths.js';
import { whenFree } from '../root/when-free.js';
import type { RegistrationRow } from '../tables/registration-table.js';

export type ClearedKind =
  | 'canonical_message'
  | 'mailbox_projection'
  | 'managed_attachment'
  | 'mailbox_local_state';

/** Something of a root that goes with its messages. */
export interface ClearedItem {
  kind: ClearedKind;
  path: string;
  /** False for what stands where nothing of this root should: it is left alone. */
  goes: boolean;
}

export interface ClearedRoot {
  items: ClearedItem[];
  registrations: RegistrationRow[];
}

/**
 * Removes every message of a root; registrations, and files that were attached where they lie, stay. Files go first: who
 * dies in between leaves an index that still names them, and the next call finishes.
 * @param dryRun changes nothing, and tells what would go.
 */
export const clearMessages = (root: MailRoot, dryRun: boolean): Promise<ClearedRoot> =>
  root.work(async () => {
    const { index, clock, paths } = root;
    const registrations = await whenFree(clock, paths.index, () => index.registrations.all());
    if (dryRun) return { items: look(root, registrations), registrations };
    const addresses = [...new Set(registrations.map(({ address }) => address))];
    return root.locks.withIndex(addresses, async () => {
      const now = await whenFree(clock, paths.index, () => index.registrations.all());
      const items = look(root, now);
      for (const { kind, path, goes } of items)
        if (goes && kind !== 'mailbox_local_state') rmSync(path, { recursive: true, force: true });
      await whenFree(clock, paths.index, () =>
        index.database.transact(() => {
          index.messages.deleteAll();
          index.threads.refreshAll();
        }),
      );
      for (const path of mailboxesOf(now)) await forget(root, path);
      return { items, registrations: now };
    });
  });

function look(root: MailRoot, registrations: readonly RegistrationRow[]): ClearedItem[] {
  const { paths } = root;
  const going = (kind: ClearedKind) => (path: string) => ({ kind, path, goes: true });
  const mailboxes = mailboxesOf(registrations);
  return [
    ...[...messageFiles(paths)].map(({ path }) => path).map(going('canonical_message')),
    ...projections(root, registrations, mailboxes),
    ...readdirSync(paths.managedAttachments)
      .map((name) => join(paths.managedAttachments, name))
      .map(going('managed_attachment')),
    ...mailboxes.map((path) => join(path, 'mailbox.sqlite')).map(going('mailbox_local_state')),
  ];
}

/** The links that the index knows and the others that lead to messages, each once. */
function projections(
  root: MailRoot,
  registrations: readonly RegistrationRow[],
  mailboxes: readonly string[],
): ClearedItem[] {
  const known = registrations.flatMap((row) =>
    root.index.projections
      .ofRegistration(row.registration_id)
      .map(({ projection_path: path }) => ({ path, goes: isBelow(path, row.mailbox_path) })),
  );
  const found = mailboxes.flatMap((path) => linksIn(path, root.paths.messages));
  const goes = new Map<string, boolean>(
    known.map((one) => [one.path, one.goes && linkTarget(one.path) !== null]),
  );
  for (const { path } of found) goes.set(path, true);
  return [...goes]
    .filter(([path]) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .map(([path, gone]) => ({ kind: 'mailbox_projection', path, goes: gone }));
}

/** The folders of mailboxes that are there, each once: a registration that is over may have had the same. */
const mailboxesOf = (registrations: readonly RegistrationRow[]): string[] =>
  [...new Set(registrations.map((row) => row.mailbox_path))].filter(
    (path) =>
      lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
      lstatSync(join(path, 'mailbox.sqlite'), { throwIfNoEntry: false })?.isFile() === true,
  );

async function forget(root: MailRoot, mailboxPath: string): Promise<void> {
  const { database, states, threads } = root.database(mailboxPath);
  await whenFree(root.clock, database.path, () =>
    database.transact(() => {
      states.deleteAll();
      threads.refreshAll();
    }),
  );
}
