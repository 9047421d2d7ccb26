import { UnusableFile } from '../../../foundation/unusable-file.js';
import { whenFree } from '../root/when-free.js';
import type { MessagePlace } from '../tables/message-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';
import type { StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox } from './active-mailbox.js';
import { deliveredLate } from './delivered-late.js';
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
    const known = await root.free(() => root.index.messages.place(messageId));
    if (known) await finish(root, known).catch((error: Error) => throwLate(messageId, error));
    return known !== undefined;
  });

const throwLate = (messageId: string, error: Error): never => {
  throw deliveredLate(messageId, error);
};

async function finish(root: MailRoot, place: MessagePlace): Promise<void> {
  const lacking = () =>
    whenFree(root.clock, root.paths.root, () => root.index.database.readAtOnce(() => rowsOf(root, place)));
  const rows = await lacking();
  if (rows.length === 0) return;
  const addresses = rows.map(({ mailbox }) => mailbox.registration.address);
  await root.locks.withIndex(addresses, async () => putRows(root, await lacking()));
}

/** The rows that are missing. What else is wrong with a mailbox that has its row is nothing to the message. */
function rowsOf(root: MailRoot, place: MessagePlace): { mailbox: ActiveMailbox; row: StateRow }[] {
  const { message_id: messageId } = place;
  const boxes = new Map<string, string[]>();
  for (const { registration_id: id, folder_name: box } of root.index.projections.ofMessage(messageId))
    boxes.set(id, [...(boxes.get(id) ?? []), box]);
  const rows = [];
  for (const [id, names] of boxes) {
    const registration = root.index.registrations.get(id);
    // A mailbox that is gone, or stashed, lacks nothing.
    if (registration?.status !== 'active' || hasRow(root, registration, messageId)) continue;
    const mailbox = activeMailbox(root, { address: registration.address, principalId: null });
    rows.push({ mailbox, row: stateFromBoxes(place, names) });
  }
  return rows;
}

function hasRow(root: MailRoot, { mailbox_path: path }: RegistrationRow, messageId: string): boolean {
  try {
    return root.database(path).states.get(messageId) !== undefined;
  } catch (error) {
    if (error instanceof UnusableFile) return false;
    throw error;
  }
}
