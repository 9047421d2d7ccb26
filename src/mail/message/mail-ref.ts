import { MailFault } from './mail-fault.js';

/**
 * The id in a reference to a message; one without a prefix is taken as the id.
 * @param prefix of the transport whose messages are meant.
 * @throws {MailFault} where it is another transport's.
 */
export function idInRef(ref: string, prefix: string, field: string): string {
  const text = ref.trim();
  const colon = text.indexOf(':');
  if (colon !== -1 && text.slice(0, colon) !== prefix)
    throw new MailFault('message_unknown', `${field}: a message here begins with ${prefix}:`);
  return text.slice(colon + 1);
}
