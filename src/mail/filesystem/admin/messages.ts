import { parseAddress } from '../../message/address.js';
import { MailFault } from '../../message/mail-fault.js';
import { parseMailRef } from '../../message/message-id.js';
import { activeRegistration } from '../mailbox/active-mailbox.js';
import type { MailRoot } from '../mailbox/mail-root.js';
import { whenFree } from '../root/when-free.js';
import type { AttachmentRow, MessageRow, RecipientRow } from '../tables/message-table.js';
import type { ProjectedRow } from '../tables/projection-table.js';
import type { RegistrationRow } from '../tables/registration-table.js';

/** A message of a mailbox, with all that the index knows of it; what the mailbox itself knows, such as read or unread, is not in it. */
export interface StoredMessage {
  registration: RegistrationRow;
  projection: ProjectedRow;
  message: MessageRow;
  recipients: RecipientRow[];
  attachments: AttachmentRow[];
}

/** The messages of an address that has an active mailbox, the newest first: one for each box that has a link to it. */
export const listStored = (
  root: MailRoot,
  given: string,
): Promise<{ registration: RegistrationRow; messages: ProjectedRow[] }> =>
  reading(root, () => {
    const registration = activeRegistration(root, parseAddress(given, 'address'));
    return { registration, messages: root.index.projections.withMessages(registration.registration_id) };
  });

/** One of them. @param given its id, or what callers of the facade name it by. @throws {MailFault} */
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
      ...{ registration, projection, message },
      ...{ recipients: messages.recipients(id), attachments: messages.attachments(id) },
    };
  });

const reading = <T>(root: MailRoot, work: () => T): Promise<T> =>
  root.work(() => whenFree(root.clock, root.paths.index, () => root.index.database.readAtOnce(work)));
