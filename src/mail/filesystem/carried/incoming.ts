// Mail of another host that comes into a root.
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../../../foundation/atomic-file.js';
import {
  addressAtHome,
  addressOn,
  arrivedMessage,
  hostAddress,
  localPart,
  localsOn,
  type RefusedMailbox,
} from '../../message/across-hosts.js';
import { parseDocument } from '../../message/document.js';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import { type Attachment, type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { attachmentIdOf, isMessageId } from '../../message/message-id.js';
import { isBoxName } from '../../message/names.js';
import { deliver } from '../mailbox/deliver.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { carriedRole, registerCarried } from './carried-mailboxes.js';
import { archiveCarried, hasMessage, messageIn } from './outgoing.js';

/** A message of another host, with the content of its files in their order. */
export interface IncomingMail {
  readonly from: string;
  readonly here: string;
  /** Its document, as that host has it. */
  readonly document: string;
  readonly files: readonly Uint8Array[];
}

/** The faults for which a mailbox refuses a message: trying again changes nothing. Others may pass. */
const refusing: ReadonlySet<MailFault['code']> = new Set([
  'mailbox_damaged',
  'conflict',
  'owner_differs',
  'not_registered',
]);

/**
 * Delivers a message of another host to its recipients on this one, once.
 * @param roots of this host; the mailboxes of all recipients must be in one of them
 * @returns the recipients whose mailboxes did not take it, by the addresses that the sender knows
 * @throws {MailFault} what may pass: nothing is said about any recipient then
 */
export async function deliverArrived(
  roots: readonly MailRoot[],
  mail: IncomingMail,
): Promise<RefusedMailbox[]> {
  const { here } = mail;
  let message: MailMessage;
  try {
    message = parseDocument(mail.document);
  } catch (error) {
    if (!(error instanceof MailRefusal)) throw error;
    return [{ address: `host ${here}`, detail: `the message breaks a rule of its format: ${error.message}` }];
  }
  const all = localsOn(message, here);
  const refuse = (locals: readonly string[], detail: string): RefusedMailbox[] =>
    locals.map((local) => ({ address: addressOn({ local, host: here }), detail }));
  if (!isMessageId(message.messageId)) return refuse(all, 'its message id has another form');
  if (localPart(message.from.address) === null) return refuse(all, `its sender is not of host ${mail.from}`);
  const homes = await Promise.all(roots.map(async (root) => ({ root, owners: await ownersIn(root, all) })));
  const home = [...homes].sort((a, b) => b.owners.size - a.owners.size)[0];
  if (home === undefined || home.owners.size === 0)
    return refuse(all, `host ${here} has no mailbox of that name`);
  const taken = all.filter((local) => home.owners.has(addressAtHome(local)));
  const twice = taken.filter(
    (local) => homes.filter(({ owners }) => owners.has(addressAtHome(local))).length > 1,
  );
  if (twice.length > 0)
    return refuse(all, `host ${here} has several folders with a mailbox ${addressAtHome(twice[0] ?? '')}`);
  const left = refuse(
    all.filter((local) => !taken.includes(local)),
    `host ${here} has no mailbox of that name in ${home.root.paths.root}`,
  );
  try {
    await deliverTo(home.root, message, mail, home.owners);
  } catch (error) {
    if (error instanceof MailRefusal) return refuse(all, error.message);
    if (error instanceof MailFault && error.code === 'state_late') return left;
    if (!(error instanceof MailFault) || !refusing.has(error.code)) throw error;
    return refuse(all, error.message);
  }
  return left;
}

/** Returns the owners of the mailboxes that a root has for these names, by address. */
const ownersIn = (root: MailRoot, locals: readonly string[]): Promise<Map<string, string>> =>
  root.read(() => {
    const rows = locals.flatMap((local) => root.index.registrations.active(addressAtHome(local)) ?? []);
    return new Map(
      rows.filter(({ role }) => role !== carriedRole).map((row) => [row.address, row.owner_principal_id]),
    );
  });

async function deliverTo(
  root: MailRoot,
  message: MailMessage,
  { from, here, files }: IncomingMail,
  owners: ReadonlyMap<string, string>,
): Promise<void> {
  if (await hasMessage(root, message.messageId)) {
    const known = await messageIn(root, message.messageId);
    // Another host must not have what this one sends archived.
    if (hostAddress(known.message.from.address)?.host !== from)
      throw new MailFault('conflict', `${message.messageId} is another message here`);
  } else {
    const attachments = message.attachments.map((attachment, index) =>
      keep(root, message.messageId, { attachment, index, content: files[index] ?? new Uint8Array() }),
    );
    const arrived = arrivedMessage(message, { from, here, owners, attachments });
    for (const { address } of [arrived.from, ...recipientsOf(arrived)])
      if (hostAddress(address) !== null) await registerCarried(root, address);
    try {
      await deliver(root, arrived);
    } catch (error) {
      if (!(error instanceof MailFault) || error.code !== 'message_exists') throw error;
    }
  }
  // Its host carries it to the recipients on third hosts.
  await archiveCarried(root, message.messageId, null);
}

/** Puts a file that came with a message into the root. Its id follows from the message, so a repeat writes the same file. */
function keep(
  { paths }: MailRoot,
  messageId: string,
  { attachment, index, content }: { attachment: Attachment; index: number; content: Uint8Array },
): Attachment {
  const attachmentId = attachmentIdOf(messageId, index);
  const name = basename(attachment.path);
  const path = join(paths.managedAttachments, attachmentId, isBoxName(name) ? name : 'attachment');
  writeFileAtomic(path, content, { mode: 0o666, durable: true });
  return { ...attachment, attachmentId, kind: 'managed_copy', path };
}
