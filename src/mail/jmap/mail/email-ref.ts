import { idInRef } from '../../message/mail-ref.js';
import { MailRefusal } from '../../message/mail-refusal.js';

const refPrefix = 'stalwart';

/** What a JMAP id is made of (RFC 8620, section 1.2). */
const idPattern = /^[A-Za-z0-9_-]{1,255}$/;

/** How callers name a message of this transport. */
export const toEmailRef = (id: string): string => `${refPrefix}:${id}`;
export const toThreadRef = (id: string): string => `${refPrefix}-thread:${id}`;

/** @throws {MailRefusal} where it names no message of any kind. @throws {MailFault} where it is another transport's. */
export function parseEmailRef(ref: string, field: string): string {
  const id = idInRef(ref, refPrefix, field);
  if (!idPattern.test(id)) throw new MailRefusal(field, `${JSON.stringify(ref)} names no message`);
  return id;
}
