// Mail of a root for other hosts: a message waits in the inbox of each mailbox that stands for a recipient there, until that host
// has it or refuses it; then it is archived.
import { addressOn, hostAddress, type RefusedMailbox, refusalNotice } from '../../message/across-hosts.js';
import { MailFault } from '../../message/mail-fault.js';
import { type MailMessage, plainPrincipal } from '../../message/mail-message.js';
import { deliver } from '../mailbox/deliver.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { carriedMailboxes, noticesRole, registerSystem, waitingBox } from './carried-mailboxes.js';

/** A message that waits for a host. */
export interface OutgoingMessage {
  readonly messageId: string;
  readonly host: string;
}

/** Lists what waits for other hosts, the oldest first. */
export const outgoingMail = (root: MailRoot): Promise<OutgoingMessage[]> =>
  root.read(() => {
    const found = new Map<string, OutgoingMessage & { createdAtUtc: string }>();
    for (const { address, mailbox_path } of carriedMailboxes(root)) {
      const host = hostAddress(address)?.host ?? '';
      const { states } = root.database(mailbox_path);
      for (const row of states.find(waitingBox, { count: -1, oldestFirst: true, after: null }))
        found.set(`${row.message_id} ${host}`, {
          messageId: row.message_id,
          host,
          createdAtUtc: row.created_at_utc,
        });
    }
    return [...found.values()]
      .sort((a, b) => (a.createdAtUtc < b.createdAtUtc ? -1 : a.createdAtUtc > b.createdAtUtc ? 1 : 0))
      .map(({ messageId, host }) => ({ messageId, host }));
  });

/** Tells the sender of a message that a host did not take it for some of its recipients; once, however often it is called. */
export async function giveNotice(
  root: MailRoot,
  message: MailMessage,
  { here, host, refused }: { here: string; host: string; refused: readonly RefusedMailbox[] },
): Promise<void> {
  const address = addressOn({ local: 'HOUMAO-mail', host: here });
  const owner = 'HOUMAO-mail';
  const displayName = 'Mail between hosts';
  await registerSystem(root, { address, ownerPrincipalId: owner, displayName, role: noticesRole });
  const by = { ...plainPrincipal(owner, address), displayName };
  try {
    await deliver(root, refusalNotice(message, { host, refused, by, now: root.clock.now() }));
  } catch (error) {
    if (!(error instanceof MailFault) || error.code !== 'message_exists') throw error;
  }
}
