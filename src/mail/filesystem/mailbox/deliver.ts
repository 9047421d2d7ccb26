import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { renderDocument } from '../../message/document.js';
import { type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { MailFault } from '../root/mail-fault.js';
import { canonicalPath, projectionPath } from '../root/mail-paths.js';
import { whenFree } from '../root/when-free.js';
import { messageRow, recipientRows } from '../tables/message-table.js';
import type { ProjectionRow } from '../tables/projection-table.js';
import { type ActiveMailbox, activeMailbox } from './active-mailbox.js';
import type { MailRoot } from './mail-root.js';
import { stage } from './staging.js';
import { deliveredState } from './state-defaults.js';

interface Parties {
  sender: ActiveMailbox;
  /** By address. */
  recipients: ReadonlyMap<string, ActiveMailbox>;
}

/**
 * Delivers a message: its file, a link in each mailbox, its rows in the index, and a row in each mailbox, in this order and
 * under the locks of all of them. The states of a delivery:
 *   staged     the document stands in staging/
 *   in place   its file stands in messages/, links in the mailboxes; what fails takes all of it away again
 *   committed  the index has it: from here on the message is delivered, whatever happens
 *   visible    each mailbox has its row
 * @throws {MailRefusal} where the message breaks a rule of the format.
 * @throws {MailFault} nothing of it is left then, unless the code is `state_late`: it is delivered.
 */
export async function deliver(root: MailRoot, message: MailMessage): Promise<void> {
  root.require();
  const document = renderDocument(message);
  const staged = stage(root.paths, document);
  const addresses = [message.from, ...recipientsOf(message)].map(({ address }) => address);
  try {
    await root.locks.withIndex(addresses, async () => {
      const parties = await whenFree(root.clock, root.paths.index, () =>
        root.index.database.readAtOnce(() => partiesOf(root, message)),
      );
      await commit(root, message, { document, staged, parties });
      await makeVisible(root, message, parties);
    });
  } finally {
    rmSync(staged, { force: true });
  }
}

function partiesOf(root: MailRoot, message: MailMessage): Parties {
  if (root.index.messages.place(message.messageId))
    throw new MailFault('message_exists', `${message.messageId} was delivered already`);
  return {
    sender: activeMailbox(root, message.from.address, message.from.principalId),
    recipients: new Map(
      recipientsOf(message).map(({ address, principalId }) => [
        address,
        activeMailbox(root, address, principalId),
      ]),
    ),
  };
}

async function commit(
  root: MailRoot,
  message: MailMessage,
  { document, staged, parties }: { document: string; staged: string; parties: Parties },
): Promise<void> {
  const path = canonicalPath(root.paths, message);
  const projections = projectionsOf(message.messageId, parties);
  const undo: (() => void)[] = [];
  try {
    placeFile(staged, path);
    undo.push(() => renameSync(path, staged));
    for (const { projection_path: link } of projections) {
      symlinkSync(path, link);
      undo.push(() => rmSync(link, { force: true }));
    }
    await whenFree(root.clock, root.paths.index, () =>
      root.index.database.transact(() =>
        indexMessage(root, message, { document, path, parties, projections }),
      ),
    );
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

/** @throws {MailFault} where a file stands there already: renaming would replace it. */
function placeFile(staged: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!lstatSync(dirname(path)).isDirectory())
    throw new MailFault('root_unusable', `${dirname(path)}: is no folder, or a link`);
  if (lstatSync(path, { throwIfNoEntry: false }))
    throw new MailFault('message_exists', `${path}: a message stands there already`);
  renameSync(staged, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function projectionsOf(messageId: string, { sender, recipients }: Parties): ProjectionRow[] {
  const row = (box: string, { registration }: ActiveMailbox): ProjectionRow => ({
    ...{ registration_id: registration.registration_id, message_id: messageId, folder_name: box },
    projection_path: projectionPath(registration.mailbox_path, box, messageId),
  });
  return [row('sent', sender), ...[...recipients.values()].map((mailbox) => row('inbox', mailbox))];
}

export function indexMessage(
  { index }: MailRoot,
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

async function makeVisible(root: MailRoot, message: MailMessage, parties: Parties): Promise<void> {
  const facts = {
    ...{ message_id: message.messageId, thread_id: message.threadId },
    ...{ created_at_utc: message.createdAtUtc, subject: message.subject },
  };
  const byRegistration = new Map<string, { mailbox: ActiveMailbox; isRecipient: boolean }>();
  byRegistration.set(parties.sender.registration.registration_id, {
    ...{ mailbox: parties.sender, isRecipient: false },
  });
  for (const mailbox of parties.recipients.values())
    byRegistration.set(mailbox.registration.registration_id, { mailbox, isRecipient: true });
  for (const [, { mailbox, isRecipient }] of [...byRegistration].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { database, states, threads } = mailbox.database;
    try {
      await whenFree(root.clock, database.path, () =>
        database.transact(() => {
          states.put(deliveredState(facts, isRecipient));
          threads.refresh(message.threadId);
        }),
      );
    } catch (error) {
      throw new MailFault(
        'state_late',
        `${message.messageId} is delivered, but the mailbox state of ${mailbox.registration.address} was not updated after commit; repair the mailbox: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }
}
