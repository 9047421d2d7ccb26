import { existsSync } from 'node:fs';
import { MailFault } from '../../message/mail-fault.js';
import { protocolVersion } from '../../message/mail-message.js';
import { parseMailRef } from '../../message/message-id.js';
import { parseAddress } from '../../message/names.js';
import { activeRegistration } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { checkRoot } from '../root/mail-paths.js';
import type { AttachmentRow, MessageRow, RecipientRow } from '../tables/message-table.js';
import type { ProjectedRow } from '../tables/projection-table.js';
import type { RegistrationRow, RegistrationStatus } from '../tables/registration-table.js';

export interface RootState {
  exists: boolean;
  /** Whether it has its marker and its index. */
  bootstrapped: boolean;
  /** Whether it has this format, or can become a root of this format. */
  supported: boolean;
  /** Null while there is no marker of this format. */
  protocolVersion: number | null;
  /** The number of registrations by status; null where it cannot be read. */
  registrations: Record<RegistrationStatus, number> | null;
  /** The fault of the root; null where there is none. */
  trouble: string | null;
}

/** Describes the state of a root: it changes nothing, and does not fail for anything that is in the root. */
export async function inspectRoot(root: MailRoot): Promise<RootState> {
  const { paths } = root;
  const marked = existsSync(paths.marker);
  const indexed = existsSync(paths.index);
  const plain = { exists: existsSync(paths.root), bootstrapped: marked && indexed };
  try {
    const registrations = await root.attempt(() => readRoot(root, indexed));
    const version = marked ? protocolVersion : null;
    return { ...plain, supported: true, protocolVersion: version, registrations, trouble: null };
  } catch (error) {
    if (!(error instanceof MailFault)) throw error;
    const supported = error.code !== 'root_unusable';
    return { ...plain, supported, protocolVersion: null, registrations: null, trouble: error.message };
  }
}

const readRoot = (root: MailRoot, indexed: boolean): Promise<RootState['registrations']> =>
  root.free(() => {
    const counts = { active: 0, inactive: 0, stashed: 0 };
    checkRoot(root.paths, root.index.database);
    for (const { status } of indexed ? root.index.registrations.statuses() : []) counts[status] += 1;
    return counts;
  });

/** Returns every registration of a root, the oldest first. */
export const listAccounts = (root: MailRoot): Promise<RegistrationRow[]> =>
  root.work(() => root.free(() => root.index.registrations.all()));

const preference: readonly RegistrationStatus[] = ['active', 'stashed', 'inactive'];

/**
 * Returns the registration of an address: the active one, else the newest stashed one, else the newest inactive one.
 * @throws {MailFault}
 */
export const findAccount = (root: MailRoot, given: string): Promise<RegistrationRow> =>
  root.work(async () => {
    const address = parseAddress(given, 'address');
    const rows = await root.free(() => root.index.registrations.ofAddress(address));
    for (const status of preference) {
      const found = rows.find((row) => row.status === status);
      if (found) return found;
    }
    throw new MailFault('not_registered', `${address} has no mailbox here`);
  });

/**
 * A message of a mailbox, with all that the index knows of it; the mailbox's own facts, such as read or unread, are not included.
 */
export interface StoredMessage {
  registration: RegistrationRow;
  projection: ProjectedRow;
  message: MessageRow;
  recipients: RecipientRow[];
  attachments: AttachmentRow[];
}

/**
 * Returns the messages of an address that has an active mailbox, the newest first: one row for each box that has a link to it.
 */
export const listStored = (
  root: MailRoot,
  given: string,
): Promise<{ registration: RegistrationRow; messages: ProjectedRow[] }> =>
  reading(root, () => {
    const registration = activeRegistration(root, parseAddress(given, 'address'));
    return { registration, messages: root.index.projections.withMessages(registration.registration_id) };
  });

/** Returns one of them. @param given its id, or the reference that callers of the facade use. @throws {MailFault} */
export const findStored = (root: MailRoot, address: string, given: string): Promise<StoredMessage> =>
  reading(root, () => {
    const registration = activeRegistration(root, parseAddress(address, 'address'));
    const id = parseMailRef(given, 'message_id');
    const { messages, projections } = root.index;
    const projection = projections
      .withMessages(registration.registration_id)
      .find(({ message_id }) => message_id === id);
    const message = messages.get(id);
    if (!projection || !message)
      throw new MailFault('message_unknown', `${id} is not in the mailbox of ${registration.address}`);
    return {
      registration,
      projection,
      message,
      recipients: messages.recipients(id),
      attachments: messages.attachments(id),
    };
  });

const reading = <T>(root: MailRoot, work: () => T): Promise<T> =>
  root.work(() => root.free(() => root.index.database.readAtOnce(work)));
