import { createHash } from 'node:crypto';
import { MailFault, MailRefusal } from '../../message/mail-fault.js';
import { idInRef } from '../../message/message-id.js';

const refPrefix = 'stalwart';

/** The form of a JMAP id (RFC 8620, section 1.2). */
const idPattern = /^[A-Za-z0-9_-]{1,255}$/;

/** Makes and reads the references by which callers name the content of one mailbox. */
export interface MailRefs {
  message(id: string): string;
  thread(id: string): string;
  /**
   * @throws {MailRefusal} where it names no message of any kind.
   * @throws {MailFault} where it belongs to another transport, or to another mailbox.
   */
  idOf(ref: string, field: string): string;
  /** Makes the fault for a message that does not exist. */
  unknown(id: string): MailFault;
}

/**
 * Pure. Servers number each account from the beginning, so two mailboxes have messages with the same id: a
 * reference also names its mailbox.
 */
export function mailRefs({ jmapUrl, address }: { jmapUrl: string; address: string }): MailRefs {
  const place = `${jmapUrl}\n${address.toLowerCase()}`;
  const mailbox = createHash('sha256').update(place).digest('hex').slice(0, 8);
  const message = (id: string): string => `${refPrefix}:${mailbox}.${id}`;
  return {
    message,
    thread: (id) => `${refPrefix}-thread:${mailbox}.${id}`,
    idOf: (ref, field) => {
      const text = idInRef(ref, refPrefix, field);
      const dot = text.indexOf('.');
      const id = text.slice(dot + 1);
      if (!idPattern.test(id))
        throw new MailRefusal(
          field,
          `${JSON.stringify(ref)} names no message; a list of the mailbox has the references`,
        );
      if (dot !== -1 && text.slice(0, dot) === mailbox) return id;
      const whose = dot === -1 ? 'does not say of which mailbox it is' : 'is of another mailbox';
      throw new MailFault('message_unknown', `${field}: ${ref.trim()} ${whose}; list the mail of ${address}`);
    },
    unknown: (id) => new MailFault('message_unknown', `${message(id)} is not in the mailbox`),
  };
}
