import { MailRefusal } from './mail-fault.js';
import { isBlank, isWellFormed, strip } from './mail-text.js';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._+-]*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const stashedPattern = /^(.+)--[0-9a-f]{32}$/;

/** The domain of addresses for which none was chosen. */
export const defaultDomain = 'houmao.localhost';
/** In the default domain, a local part with this prefix belongs to the system. */
const reservedPrefix = 'HOUMAO-';

export const isAddress = (text: string): boolean => pattern.test(text) && !text.includes('..');

/** Returns the sentence that a text is no address, with an example of one. */
export const noAddress = (text: string): string =>
  `${JSON.stringify(text)} is not a mailbox address, such as alpha@${defaultDomain}`;

/** Checks an address. Case is significant everywhere, so addresses are compared as they are. @throws {MailRefusal} */
export function parseAddress(text: string, field: string): string {
  const address = strip(text);
  if (!isAddress(address)) throw new MailRefusal(field, noAddress(text));
  return address;
}

export const isReserved = (address: string): boolean =>
  address.startsWith(reservedPrefix) && address.endsWith(`@${defaultDomain}`);

/** The parts of the name of an entry in `mailboxes/`. */
export interface EntryName {
  address: string;
  /** Whether the entry was set aside for another mailbox of the same address. */
  stashed: boolean;
}

/** Reads a name; null for a foreign one. A stashed name is tried first, because it is also a valid address. */
export function parseEntryName(name: string): EntryName | null {
  const address = stashedPattern.exec(name)?.[1];
  if (address !== undefined && isAddress(address)) return { address, stashed: true };
  return isAddress(name) ? { address: name, stashed: false } : null;
}

/** Names of other files in a mailbox's folder, beside its boxes. */
const taken = /^mailbox\.sqlite/;
const longestBytes = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Decides whether a row of the index names a box, and not a place outside of the mailbox. */
export function isBoxName(text: string): boolean {
  try {
    return parseBoxName(text, 'box') === text;
  } catch {
    return false;
  }
}

/** Checks the name of a box, which is that of a folder: any name except one that leads elsewhere. @throws {MailRefusal} */
export function parseBoxName(text: string, field: string): string {
  const name = strip(text);
  const refuse = (rule: string): never => {
    throw new MailRefusal(field, rule);
  };
  if (name === '') refuse('must not be blank');
  if (name === '.' || name === '..' || name.includes('/')) refuse('must be the name of one folder');
  if (control.test(name)) refuse('must not contain control characters');
  if (!isWellFormed(name) || Buffer.byteLength(name) > longestBytes) refuse('is not a folder name');
  if (taken.test(name)) refuse('is the name of a database');
  return name;
}

interface MailIdentity {
  principalId: string;
  address: string;
}

export interface SessionNames {
  tool: string;
  role: string;
  /** The name of the session; null when it has none. */
  identity: string | null;
}

const prefix = 'HOUMAO-';
const longestBase = 40;

/**
 * Returns the principal and the address of a session that declares none.
 * @throws {MailRefusal} when its address would be in the namespace of the system.
 */
export function defaultIdentity({ tool, role, identity }: SessionNames): MailIdentity {
  if (identity === null || isBlank(identity) || isPathLike(identity)) {
    const base = baseOf(tool, role);
    return { principalId: prefix + base, address: addressOf(base) };
  }
  const name = strip(identity);
  const local = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  return {
    principalId: name.startsWith(prefix) ? name : prefix + name,
    address: addressOf(sanitise(local, 'agent')),
  };
}

function addressOf(local: string): string {
  if (local.startsWith(prefix))
    throw new MailRefusal('identity', `a mailbox name that begins with ${prefix} belongs to the system`);
  return `${local}@${defaultDomain}`;
}

const isPathLike = (identity: string): boolean => /[/\\]/.test(identity) || identity.endsWith('.json');

function baseOf(tool: string, role: string): string {
  const joined = trimDashes(`${sanitise(tool, 'agent')}-${sanitise(role, 'agent')}`);
  return letterFirst(trimDashes(joined.slice(0, longestBase))) || 'agent';
}

function sanitise(text: string, fallback: string): string {
  const plain = trimDashes(text.replace(/[^A-Za-z0-9_-]+/g, '-'));
  return letterFirst(plain.replace(/-+/g, '-').replace(/_+/g, '_')) || fallback;
}

const trimDashes = (text: string): string => text.replace(/^[-_]+/, '').replace(/[-_]+$/, '');

const letterFirst = (text: string): string => (text === '' || /^[A-Za-z0-9]/.test(text) ? text : `a${text}`);
