import { defaultDomain } from './address.js';
import { MailRefusal } from './mail-refusal.js';
import { isBlank, strip } from './python-text.js';

export interface MailIdentity {
  principalId: string;
  address: string;
}

export interface SessionNames {
  tool: string;
  role: string;
  /** What the session is called; null when it has no name. */
  identity: string | null;
}

const prefix = 'HOUMAO-';
const longestBase = 40;

/**
 * The principal and the address of a session that declares none.
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
