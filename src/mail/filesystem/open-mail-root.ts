import { lstatSync } from 'node:fs';
import type { Clock } from '../../foundation/clock.js';
import { MailFault } from '../message/mail-fault.js';
import { recipientsOf } from '../message/mail-message.js';
import { indexMessage, makeVisible, partiesOf, projectionsOf } from './mailbox/delivery-records.js';
import { MailRoot } from './mailbox/mail-root.js';
import { type MessageFile, readMessageFile } from './mailbox/message-file.js';
import { settleDisplaced } from './registration/entry-on-disk.js';
import { alignMailbox } from './repair/restore-mailbox.js';
import { messageFiles } from './repair/scan-messages.js';
import { isOfOneMailbox } from './root/faults.js';
import type { LeftLocks } from './root/mailbox-locks.js';

/** A root as it is on disk; {@link bootstrap} makes one. */
export const openMailRoot = (path: string, clock: Clock): MailRoot => new MailRoot(path, clock, recoverLeft);

/**
 * Finishes what a process had begun under locks when it ended: a registration that was not committed is undone, a message
 * whose file stands in its place is delivered, and links and states follow the index. It had all of its locks before it
 * changed anything, and the index's is the last: without that one, nothing is half done but what SQLite undoes by itself.
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

/** What cannot be used is left to a repair: it must not keep the locks from being given back. */
async function unlessUnusable(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isOfOneMailbox(error)) throw error;
  }
}

/** What has its file in place was as good as delivered; its file may be the whole of it, so it is never taken back. */
async function deliverPlaced(root: MailRoot, addresses: ReadonlySet<string>): Promise<void> {
  const known = new Set(await root.free(() => root.index.messages.ids()));
  for (const { name, path } of messageFiles(root.paths, () => undefined)) {
    const placed = known.has(name) ? null : readable(root, path);
    if (!placed) continue;
    const { message, document } = placed;
    const involved = [message.from, ...recipientsOf(message)].map(({ address }) => address);
    // Another one's, who left no locks: that is for a repair to find.
    if (!involved.every((address) => addresses.has(address))) continue;
    await unlessUnusable(async () => {
      const parties = await root.free(() => partiesOf(root, message));
      const facts = { document, path, parties, projections: projectionsOf(message.messageId, parties) };
      await root.free(() => root.index.database.transact(() => indexMessage(root, message, facts)));
      await makeVisible(root, message, parties);
    });
  }
}

/** A damaged file is left to a repair, which tells of it. */
function readable(root: MailRoot, path: string): MessageFile | null {
  try {
    return readMessageFile(root.paths, path);
  } catch (error) {
    if (error instanceof MailFault) return null;
    throw error;
  }
}
