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
import { lastingFaults, MailFault, MailRefusal } from '../../message/mail-fault.js';
import { type Attachment, type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { attachmentIdOf, isMessageId } from '../../message/message-id.js';
import { isBoxName } from '../../message/names.js';
import { deliver } from '../mailbox/deliver.js';
import { hasMessage, type MailRoot, messageIn } from '../mailbox/mail-root.js';
import { archiveCarried, carriedRole, registerCarried } from './carried-mailboxes.js';

/** A message of another host, with the content of its files in their order. */
export interface IncomingMail {
  readonly from: string;
  readonly here: string;
  /** Its document, as that host has it. */
  readonly document: string;
  readonly files: readonly Uint8Array[];
}

/**
 * Delivers a message of another host to its recipients on this one, once: into each root that has a mailbox of one. Its copy there
 * names the recipients of that root and those of other hosts.
 * @param roots of this host
 * @returns the recipients whose mailboxes did not take it, by the addresses that the sender knows
 * @throws {MailFault} what may pass, once the others have it: nothing is said about any recipient then, and the message is to come again
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
  const looks = await Promise.allSettled(
    roots.map(async (root) => ({ root, owners: await ownersIn(root, all) })),
  );
  const { shares, several, nowhere } = shareOut(
    all,
    looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : [])),
  );
  const refused = refuse(several, `host ${here} has several folders with a mailbox of that name`);
  const unread = looks.find((look) => look.status === 'rejected');
  // A mailbox that is nowhere else may be in a root that cannot be read now.
  const faults: unknown[] = unread && nowhere.length > 0 ? [unread.reason] : [];
  if (!unread) refused.push(...refuse(nowhere, `host ${here} has no mailbox of that name`));
  for (const { root, locals, owners } of shares)
    try {
      await deliverTo(root, message, mail, owners);
    } catch (error) {
      const refuses =
        error instanceof MailFault ? lastingFaults.has(error.code) : error instanceof MailRefusal;
      if (refuses) refused.push(...refuse(locals, (error as Error).message));
      else if (!(error instanceof MailFault) || error.code !== 'state_late') faults.push(error);
    }
  if (faults.length > 0) throw faults[0];
  return refused;
}

/** A root that has mailboxes of recipients. */
interface Home {
  readonly root: MailRoot;
  /** The owners of these mailboxes, by address. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Says which root takes a message for which recipients: each for those whose mailbox no other one has. Pure. */
function shareOut(
  locals: readonly string[],
  homes: readonly Home[],
): { shares: (Home & { locals: string[] })[]; several: string[]; nowhere: string[] } {
  const homesOf = (local: string): Home[] => homes.filter(({ owners }) => owners.has(addressAtHome(local)));
  const shares = homes.map(({ root, owners }) => {
    const own = locals.filter((local) => owners.has(addressAtHome(local)) && homesOf(local).length === 1);
    const addresses = new Set(own.map(addressAtHome));
    return {
      root,
      locals: own,
      owners: new Map([...owners].filter(([address]) => addresses.has(address))),
    };
  });
  return {
    shares: shares.filter((share) => share.locals.length > 0),
    several: locals.filter((local) => homesOf(local).length > 1),
    nowhere: locals.filter((local) => homesOf(local).length === 0),
  };
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
      throw new MailFault(
        'conflict',
        `${message.messageId} was not written on host ${from} here; where both hosts use this mail folder, write to the address without its host`,
      );
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
