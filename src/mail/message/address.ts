import { MailRefusal } from './mail-refusal.js';
import { strip } from './python-text.js';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const stashedPattern = /^(.+)--[0-9a-f]{32}$/;

/** The domain of addresses that nobody chose. */
export const defaultDomain = 'houmao.localhost';
/** A local part that begins so belongs to the system, in the default domain. */
const reservedPrefix = 'HOUMAO-';

export const isAddress = (text: string): boolean => pattern.test(text) && !text.includes('..');

/** That a text is no address, and how one looks. */
export const noAddress = (text: string): string =>
  `${JSON.stringify(text)} is not a mailbox address, such as alpha@${defaultDomain}`;

/** Upper and lower case differ everywhere, so an address is compared as it is. @throws {MailRefusal} */
export function parseAddress(text: string, field: string): string {
  const address = strip(text);
  if (!isAddress(address)) throw new MailRefusal(field, noAddress(text));
  return address;
}

export const isReserved = (address: string): boolean =>
  address.startsWith(reservedPrefix) && address.endsWith(`@${defaultDomain}`);

/** What the name of an entry of `mailboxes/` says. */
export interface EntryName {
  address: string;
  /** Whether it was set aside for another mailbox of the same address. */
  stashed: boolean;
}

/** Null for a foreign name. A stashed name is looked for first: it would be an address, too. */
export function parseEntryName(name: string): EntryName | null {
  const address = stashedPattern.exec(name)?.[1];
  if (address !== undefined && isAddress(address)) return { address, stashed: true };
  return isAddress(name) ? { address: name, stashed: false } : null;
}
