// A mailbox of another host has a mailbox here that stands for it: a usual one, as every program that shares the root sees it. Mail
// for it is delivered there; the server carries it on and archives it when the other host has it.
import { hostAddress, localPart, ownerOn } from '../../message/across-hosts.js';
import { MailFault } from '../../message/mail-fault.js';
import { type MailMessage, recipientsOf } from '../../message/mail-message.js';
import { defaultDomain } from '../../message/names.js';
import { moveMail } from '../mailbox/change-mail.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { register } from '../registration/register.js';
import { carrierTo } from '../root/carrier-file.js';
import type { RegistrationRow } from '../tables/registration-table.js';

/** The role of a mailbox that stands for one of another host. */
export const carriedRole = 'fleet_carried';
/** The role of the mailbox that notices about mail to other hosts come from. */
export const noticesRole = 'fleet_notices';
/** The largest sum of the files of one message to another host. */
export const mostCarriedBytes = 16 * 1024 * 1024;

/** The active mailboxes of a root that stand for those of other hosts. To be called within `root.read`. */
export const carriedMailboxes = ({ index }: Pick<MailRoot, 'index'>): RegistrationRow[] =>
  index.registrations.all().filter(({ status, role }) => status === 'active' && role === carriedRole);

/** The box of such a mailbox in which messages wait until the other host has them. */
export const waitingBox = {
  box: 'inbox',
  read: null,
  answered: null,
  archived: null,
  since: null,
} as const;

/** Archives a message in the mailboxes that stand for its recipients on a host (on every one, where that is null). */
export async function archiveCarried(root: MailRoot, messageId: string, host: string | null): Promise<void> {
  const boxes = await root.read(() =>
    carriedMailboxes(root).filter(
      ({ address, mailbox_path }) =>
        (host === null || hostAddress(address)?.host === host) &&
        root.database(mailbox_path).states.get(messageId)?.box_name === waitingBox.box,
    ),
  );
  for (const { address } of boxes)
    await moveMail(root, { address, principalId: null }, [messageId], { box: 'archive' });
}

/**
 * Makes sure that a message which is about to be delivered is carried to its recipients on other hosts.
 * @throws {MailFault} where it would not be, or could not be answered there: nothing is changed then.
 */
export async function openCarried(root: MailRoot, message: MailMessage): Promise<void> {
  const away = await root.read(() =>
    recipientsOf(message).flatMap(({ address }) => {
      const place = hostAddress(address);
      const known = root.index.registrations.active(address);
      if (known?.role === noticesRole)
        throw new MailFault('no_replies', `${address} gives notices and takes no replies`);
      return place === null || (known && known.role !== carriedRole) ? [] : [{ address, place, known }];
    }),
  );
  if (away.length === 0) return;
  for (const { address, place } of away) carrierTo(root.paths, place.host, address);
  for (const { address } of [message.from, ...recipientsOf(message)])
    if (localPart(address) === null && hostAddress(address) === null)
      throw new MailFault(
        'recipient_unknown',
        `${address} has a domain of its own, by which other hosts cannot answer it; a message to ${away[0]?.address} may name addresses of ${defaultDomain} alone`,
      );
  const bytes = message.attachments.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
  if (bytes > mostCarriedBytes)
    throw new MailFault(
      'attachment_unusable',
      `attachments: files to another host may have ${mostCarriedBytes} bytes together, and these have ${bytes}`,
    );
  for (const { address, known } of away) if (!known) await registerCarried(root, address);
}

/** Makes the mailbox that stands for one of another host, where it is missing. @param address names a host */
export async function registerCarried(root: MailRoot, address: string): Promise<void> {
  const place = hostAddress(address);
  if (place === null) throw new TypeError(`${address} names no host`);
  await registerSystem(root, {
    address,
    ownerPrincipalId: ownerOn(place),
    displayName: `${place.local} on ${place.host}`,
    role: carriedRole,
  });
}

/** Makes a mailbox of ours in a root, where it is missing. */
export async function registerSystem(
  root: MailRoot,
  mailbox: { address: string; ownerPrincipalId: string; displayName: string; role: string },
): Promise<void> {
  const isThere = await root.read(() => root.index.registrations.active(mailbox.address) !== undefined);
  if (isThere) return;
  await register(root, {
    mode: 'safe',
    kind: 'in_root',
    mailboxPath: null,
    manifestPathHint: null,
    ...mailbox,
  });
}
