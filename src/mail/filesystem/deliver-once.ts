import { MailFault } from '../message/mail-fault.js';
import type { MailMessage } from '../message/mail-message.js';
import { toMailRef } from '../message/message-id.js';
import type { MessageStamp, MessageStamps } from '../transport/mail-transport.js';
import { deliver } from './mailbox/deliver.js';
import { finishDelivery } from './mailbox/finish-delivery.js';
import type { MailRoot } from './mailbox/mail-root.js';

/**
 * Delivers the message of a stamp, unless an earlier or a faster call did: then what that one could not finish is finished.
 * @param compose the message of that stamp; throws for what breaks a rule.
 * @throws {MailFault} with `deliveredRef` where the message is delivered all the same.
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

/** Delivers it. @returns false where it was delivered before. */
function isNew(root: MailRoot, message: MailMessage): Promise<boolean> {
  const { messageId } = message;
  return naming(messageId, async () => {
    try {
      await deliver(root, message);
      return true;
    } catch (error) {
      const mayStand = error instanceof MailFault && error.code === 'message_exists';
      // The index decides, not the file.
      if (mayStand && (await isDelivered(root, messageId))) return false;
      throw error;
    }
  });
}

const isDelivered = (root: MailRoot, messageId: string): Promise<boolean> =>
  naming(messageId, () => finishDelivery(root, messageId));

/** With the reference of what was delivered in the fault that says so. */
async function naming<T>(messageId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MailFault) || error.code !== 'state_late') throw error;
    throw new MailFault('state_late', error.message, { cause: error, deliveredRef: toMailRef(messageId) });
  }
}
