import { lstatSync } from 'node:fs';
import type { Clock } from '../../foundation/clock.js';
import { MailFault } from '../message/mail-fault.js';
import { recipientsOf } from '../message/mail-message.js';
import { indexMessage, makeVisible, partiesOf, projectionsOf } from './mailbox/delivery-records.js';
import { MailRoot, type MessageFile, readMessageFile } from './mailbox/mail-root.js';
import { settleDisplaced } from './registration/entry-on-disk.js';
import { alignMailbox } from './repair/restore-mailbox.js';
import { messageFiles } from './repair/scan-messages.js';
import { isOfOneMailbox } from './root/faults.js';
import type { LeftLocks } from './root/mailbox-locks.js';

/** Opens a root as it is on disk; {@link bootstrap} makes one. */
export const openMailRoot = (path: string, clock: Clock): MailRoot => new MailRoot(path, clock, recoverLeft);

/**
 * Finishes the work that a process had begun under its locks when it ended: a registration that was not committed is
 * undone, a message whose file is in place is delivered, and links and states follow the index. A process has all of its
 * locks before it changes anything, and it takes the lock of the index last: without that one, nothing is half done
 * except what SQLite undoes by itself.
 */
export async function recoverLeft(root: MailRoot, { addresses, index }: LeftLocks): Promise<void> {
  if (!index || !lstatSync(root.paths.index, { throwIfNoEntry: false })) return;
  settleDisplaced(root.paths, await root.free(() => root.index.registrations.all()));
  await deliverPlaced(root, new Set(addresses));
  for (const address of addresses) {
    const registration = await root.free(() => root.index.registrations.active(address));
    if (registration) await unlessUnusable(() => alignMailbox(root, registration));
  }
}

/** Leaves what cannot be used to a repair: it must not keep the locks from being removed. */
async function unlessUnusable(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isOfOneMailbox(error)) throw error;
  }
}

/**
 * Delivers messages whose file is in place: they were as good as delivered, and the file may be all that exists
 * of them, so it is never removed.
 */
async function deliverPlaced(root: MailRoot, addresses: ReadonlySet<string>): Promise<void> {
  const known = new Set(await root.free(() => root.index.messages.ids()));
  for (const { name, path } of messageFiles(root.paths, () => undefined)) {
    const placed = known.has(name) ? null : readable(root, path);
    if (!placed) continue;
    const { message, document } = placed;
    const involved = [message.from, ...recipientsOf(message)].map(({ address }) => address);
    // A message of another process, which left no locks: a repair finds it.
    if (!involved.every((address) => addresses.has(address))) continue;
    await unlessUnusable(async () => {
      const parties = await root.free(() => partiesOf(root, message));
      const facts = { document, path, parties, projections: projectionsOf(message.messageId, parties) };
      await root.free(() => root.index.database.transact(() => indexMessage(root, message, facts)));
      await makeVisible(root, message, parties);
    });
  }
}

/** Returns null for a damaged file: a repair reports it. */
function readable(root: MailRoot, path: string): MessageFile | null {
  try {
    return readMessageFile(root.paths, path);
  } catch (error) {
    if (error instanceof MailFault) return null;
    throw error;
  }
}
