import { MailFault } from '../../message/mail-fault.js';
import { type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { projectionPath } from '../root/mail-paths.js';
import { whenFree } from '../root/shared-database.js';
import { messageRow, recipientRows } from '../tables/message-table.js';
import type { ProjectionRow } from '../tables/projection-table.js';
import type { StateRow } from '../tables/state-table.js';
import { type ActiveMailbox, activeMailbox } from './active-mailbox.js';
import type { MailRoot } from './mail-root.js';
import { deliveredState } from './state-defaults.js';

/** The mailboxes that a delivery changes. */
export interface Parties {
  sender: ActiveMailbox;
  /** By address. */
  recipients: ReadonlyMap<string, ActiveMailbox>;
}

/** @throws {MailFault} where one of them has no complete, active mailbox of the owner that the message names. */
export const partiesOf = (root: MailRoot, message: MailMessage): Parties => ({
  sender: activeMailbox(root, message.from),
  recipients: new Map(
    recipientsOf(message).map(({ address, principalId }) => [
      address,
      activeMailbox(root, { address, principalId }),
    ]),
  ),
});

/** Returns one link in the sent box of the sender, and one in the inbox of each recipient. */
export function projectionsOf(messageId: string, { sender, recipients }: Parties): ProjectionRow[] {
  const row = (box: string, { registration }: ActiveMailbox): ProjectionRow => ({
    registration_id: registration.registration_id,
    message_id: messageId,
    folder_name: box,
    projection_path: projectionPath(registration.mailbox_path, box, messageId),
  });
  return [row('sent', sender), ...[...recipients.values()].map((mailbox) => row('inbox', mailbox))];
}

/** Writes the rows that the index has for a message. To be called in a transaction of the index. */
export function indexMessage(
  { index }: Pick<MailRoot, 'index'>,
  message: MailMessage,
  facts: { document: string; path: string; parties: Parties; projections: readonly ProjectionRow[] },
): void {
  const { document, path, parties, projections } = facts;
  const senderRegistration = parties.sender.registration.registration_id;
  index.messages.insert(messageRow(message, { path, document, senderRegistration }));
  const registrationOf = (address: string): string | null =>
    parties.recipients.get(address)?.registration.registration_id ?? null;
  for (const row of recipientRows(message, registrationOf)) index.messages.insertRecipient(row);
  for (const [ordinal, attachment] of message.attachments.entries()) {
    index.messages.insertAttachment(attachment);
    index.messages.linkAttachment(message.messageId, attachment.attachmentId, ordinal);
  }
  for (const row of projections) index.projections.put(row);
  index.threads.refresh(message.threadId);
}

/** Gives each mailbox its row for a message that the index has. @throws {MailFault} `state_late` */
export const makeVisible = (root: MailRoot, message: MailMessage, parties: Parties): Promise<void> =>
  putRows(
    root,
    byRegistration(parties).map(({ mailbox, isRecipient }) => ({
      mailbox,
      row: deliveredState(factsOf(message), isRecipient),
    })),
  );

/**
 * Writes the rows of one message into their mailboxes. A mailbox that fails does not keep the others from getting theirs.
 * @throws {MailFault} `state_late`
 */
export async function putRows(
  root: MailRoot,
  rows: readonly { mailbox: ActiveMailbox; row: StateRow }[],
): Promise<void> {
  const faults: MailFault[] = [];
  for (const { mailbox, row } of rows) {
    const { database, states, threads } = mailbox.database;
    try {
      await whenFree(root.clock, database.path, () =>
        database.transact(() => {
          states.put(row);
          threads.refresh(row.thread_id);
        }),
      );
    } catch (error) {
      faults.push(notUpdated(row.message_id, mailbox.registration.address, error as Error));
    }
  }
  if (faults[0]) throw faults[0];
}

const notUpdated = (messageId: string, address: string, cause: Error): MailFault =>
  new MailFault(
    'state_late',
    `${messageId} is delivered, but the mailbox state of ${address} was not updated after commit; repair the mailbox: ${cause.message}`,
    { cause },
  );

const factsOf = ({ messageId, threadId, createdAtUtc, subject }: MailMessage) => ({
  message_id: messageId,
  thread_id: threadId,
  created_at_utc: createdAtUtc,
  subject,
});

/** Returns each mailbox once, in the order of the registrations' ids. */
function byRegistration({ sender, recipients }: Parties): { mailbox: ActiveMailbox; isRecipient: boolean }[] {
  const received = [...recipients.values()].map((mailbox) => ({ mailbox, isRecipient: true }));
  const sent = recipients.has(sender.registration.address) ? [] : [{ mailbox: sender, isRecipient: false }];
  const idOf = ({ mailbox }: { mailbox: ActiveMailbox }): string => mailbox.registration.registration_id;
  return [...sent, ...received].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

/** Makes sure that a fault after a delivery does not look as if the message were not delivered. */
export const deliveredLate = (messageId: string, error: Error): MailFault =>
  error instanceof MailFault && error.code === 'state_late'
    ? error
    : new MailFault(
        'state_late',
        `${messageId} is delivered, but not all was put in order: ${error.message}`,
        { cause: error },
      );
