import { UnusableFile } from '../../foundation/faults.js';
import { MailFault } from '../message/mail-fault.js';
import type { MailMessage } from '../message/mail-message.js';
import { toMailRef } from '../message/message-id.js';
import type { MessageStamp, MessageStamps } from '../transport/mail-transport.js';
import { type ActiveMailbox, activeMailbox } from './mailbox/active-mailbox.js';
import { deliver } from './mailbox/deliver.js';
import { deliveredLate, putRows } from './mailbox/delivery-records.js';
import type { MailRoot } from './mailbox/mail-root.js';
import { stateFromBoxes } from './mailbox/state-defaults.js';
import { whenFree } from './root/shared-database.js';
import type { MessagePlace } from './tables/message-table.js';
import type { RegistrationRow } from './tables/registration-table.js';
import type { StateRow } from './tables/state-table.js';

/**
 * Delivers the message of a stamp, unless an earlier or a faster call did: then it finishes what that call could not.
 * @param compose makes the message of a stamp; throws where it breaks a rule.
 * @throws {MailFault} with `deliveredRef` where the message is delivered nevertheless.
 */
export async function deliverOnce(
  root: MailRoot,
  stamps: MessageStamps,
  compose: (stamp: MessageStamp) => Promise<MailMessage>,
): Promise<{ messageId: string; replayed: boolean }> {
  let stamp = await stamps.chosen();
  if (stamp.again && (await isDelivered(root, stamp.messageId)))
    return { messageId: stamp.messageId, replayed: true };
  let message = await compose(stamp);
  if (!stamp.again) {
    const kept = await stamps.keep(stamp);
    if (kept.messageId !== stamp.messageId) message = await compose(kept);
    stamp = kept;
  }
  const { messageId } = stamp;
  return { messageId, replayed: !(await isNew(root, message)) };
}

/** Delivers a message. @returns false where it was delivered before. */
function isNew(root: MailRoot, message: MailMessage): Promise<boolean> {
  const { messageId } = message;
  return naming(messageId, async () => {
    try {
      await deliver(root, message);
      return true;
    } catch (error) {
      const isInPlace = error instanceof MailFault && error.code === 'message_exists';
      // The index decides, not the file.
      if (isInPlace && (await isDelivered(root, messageId))) return false;
      throw error;
    }
  });
}

const isDelivered = (root: MailRoot, messageId: string): Promise<boolean> =>
  naming(messageId, () => finishDelivery(root, messageId));

/** Adds the reference of the delivered message to a fault that reports its delivery. */
async function naming<T>(messageId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MailFault) || error.code !== 'state_late') throw error;
    throw new MailFault('state_late', error.message, { cause: error, deliveredRef: toMailRef(messageId) });
  }
}

/**
 * Gives a message that the index has to the mailboxes that do not have it yet, because their rows could not be written at its
 * delivery. A mailbox that has its row keeps it unchanged.
 * @returns whether the index has the message.
 * @throws {MailFault} `state_late` where that fails again.
 */
const finishDelivery = (root: MailRoot, messageId: string): Promise<boolean> =>
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

/** Returns the missing rows. Other faults of a mailbox that has its row do not concern the message. */
function rowsOf(root: MailRoot, place: MessagePlace): { mailbox: ActiveMailbox; row: StateRow }[] {
  const { message_id: messageId } = place;
  const boxes = new Map<string, string[]>();
  for (const { registration_id: id, folder_name: box } of root.index.projections.ofMessage(messageId))
    boxes.set(id, [...(boxes.get(id) ?? []), box]);
  const rows = [];
  for (const [id, names] of boxes) {
    const registration = root.index.registrations.get(id);
    // A mailbox that is gone, or not active, needs no row.
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
