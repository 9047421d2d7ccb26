import { whenFree } from '../root/when-free.js';
import type { StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox } from './active-mailbox.js';
import { putRows } from './delivery-records.js';
import type { MailRoot } from './mail-root.js';
import { stateFromBoxes } from './state-defaults.js';

/**
 * Gives a message that the index has to those mailboxes that it is not in yet, because their rows could not be written when it
 * was delivered. One that has its row keeps it as it is.
 * @returns whether the index has the message.
 * @throws {MailFault} `state_late` where that fails again.
 */
export const finishDelivery = (root: MailRoot, messageId: string): Promise<boolean> =>
  root.work(async () => {
    const lacking = () =>
      whenFree(root.clock, root.paths.root, () =>
        root.index.database.readAtOnce(() => rowsOf(root, messageId)),
      );
    const rows = await lacking();
    if (rows === null || rows.length === 0) return rows !== null;
    const addresses = rows.map(({ mailbox }) => mailbox.registration.address);
    await root.locks.withIndex(addresses, async () => putRows(root, (await lacking()) ?? []));
    return true;
  });

/** The rows that are missing. @returns null where the index does not have the message. */
function rowsOf(root: MailRoot, messageId: string): { mailbox: ActiveMailbox; row: StateRow }[] | null {
  const place = root.index.messages.place(messageId);
  if (!place) return null;
  const boxes = new Map<string, string[]>();
  for (const { registration_id: id, folder_name: box } of root.index.projections.ofMessage(messageId))
    boxes.set(id, [...(boxes.get(id) ?? []), box]);
  const rows = [];
  for (const [id, names] of boxes) {
    const registration = root.index.registrations.get(id);
    // A mailbox that is gone, or stashed, lacks nothing.
    if (registration?.status !== 'active') continue;
    const mailbox = activeMailbox(root, { address: registration.address, principalId: null });
    if (!mailbox.database.states.get(messageId)) rows.push({ mailbox, row: stateFromBoxes(place, names) });
  }
  return rows;
}
