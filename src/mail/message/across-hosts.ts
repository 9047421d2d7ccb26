// Mail between the hosts of a fleet. Within a host, `reviewer@houmao.localhost` is a mailbox; from another one it is
// `reviewer@ws2.houmao.localhost`. A message is written in the names of the host that has it, so it changes them on its way. Pure.
import { createHash } from 'node:crypto';
import { hostNamePattern } from '../../foundation/host-name.js';
import { oneLine, replySubject } from './compose.js';
import {
  type Attachment,
  type MailMessage,
  type Principal,
  plainPrincipal,
  recipientsOf,
} from './mail-message.js';
import { toMailStamp } from './message-id.js';
import { defaultDomain } from './names.js';

/** An address as `local@host.houmao.localhost`. */
export interface HostAddress {
  readonly local: string;
  readonly host: string;
}

/** Returns the parts of an address that names a host; null for every other one. */
export function hostAddress(address: string): HostAddress | null {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (at < 1 || !domain.endsWith(`.${defaultDomain}`)) return null;
  const host = domain.slice(0, -defaultDomain.length - 1);
  return hostNamePattern.test(host) ? { local, host } : null;
}

export const addressOn = ({ local, host }: HostAddress): string => `${local}@${host}.${defaultDomain}`;
/** The address of the same mailbox on its own host. */
export const addressAtHome = (local: string): string => `${local}@${defaultDomain}`;
/** The owner of a mailbox of another host, whose name on that host is not known here. */
export const ownerOn = ({ local, host }: HostAddress): string => `${local}@${host}`;

/** Returns the local part of an address that other hosts can name; null for one that has a domain of its own. */
export const localPart = (address: string): string | null =>
  address.endsWith(`@${defaultDomain}`) ? address.slice(0, -defaultDomain.length - 1) : null;

/** The names of the recipients of a message on a host, each as it is called there. */
export const localsOn = (message: Pick<MailMessage, 'to' | 'cc'>, host: string): string[] =>
  recipientsOf(message).flatMap(({ address }) => {
    const there = hostAddress(address);
    return there?.host === host ? [there.local] : [];
  });

export interface Arrival {
  /** The host that the message comes from. */
  readonly from: string;
  readonly here: string;
  /** The owners of the mailboxes that take it, by address on this host; recipients of this host that are not among them are left out. */
  readonly owners: ReadonlyMap<string, string>;
  /** Its files as they are here, in their order. */
  readonly attachments: readonly Attachment[];
}

/** Headers by which the mailboxes of one host tell whose message it is: they say nothing about one from elsewhere. */
const ownHeaders = /^x-houmao-/i;

/** Returns a message of another host in the names of this one. */
export function arrivedMessage(message: MailMessage, arrival: Arrival): MailMessage {
  const named = (principal: Principal): Principal[] => arrivedPrincipal(principal, arrival);
  const [to, cc] = [message.to.flatMap(named), message.cc.flatMap(named)];
  const { headers } = message;
  return {
    ...message,
    from: named(message.from)[0] ?? message.from,
    // A message has someone it is to.
    ...(to.length > 0 ? { to, cc } : { to: cc, cc: [] }),
    replyTo: message.replyTo.flatMap(named),
    attachments: [...arrival.attachments],
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.test(name))),
  };
}

function arrivedPrincipal(principal: Principal, { from, here, owners }: Arrival): Principal[] {
  const { address, displayName } = principal;
  const local = localPart(address);
  const place = local === null ? hostAddress(address) : { local, host: from };
  if (place === null) return [];
  if (place.host !== here) return [{ ...plainPrincipal(ownerOn(place), addressOn(place)), displayName }];
  const home = addressAtHome(place.local);
  const owner = owners.get(home);
  return owner === undefined ? [] : [{ ...plainPrincipal(owner, home), displayName }];
}

/** A recipient whose mailbox did not take a message, and why. */
export interface RefusedMailbox {
  readonly address: string;
  readonly detail: string;
}

/**
 * Composes the notice that a message did not come to some of its recipients.
 * @param by the mailbox that notices come from
 * @returns the same message id for each notice of one host about one message, so that it is delivered once
 */
export function refusalNotice(
  message: MailMessage,
  { host, refused, by, now }: { host: string; refused: readonly RefusedMailbox[]; by: Principal; now: Date },
): MailMessage {
  const digest = createHash('sha256').update(`${message.messageId}/${host}`).digest('hex').slice(0, 32);
  const lines = refused.map(({ address, detail }) => `* ${address}: ${detail}`);
  return {
    messageId: `${message.messageId.slice(0, -digest.length)}${digest}`,
    threadId: message.threadId,
    inReplyTo: message.messageId,
    references: [...message.references, message.messageId],
    createdAtUtc: toMailStamp(now),
    from: by,
    to: [message.from],
    cc: [],
    replyTo: [],
    subject: oneLine(`Not delivered: ${replySubject(message.subject).replace(/^re:\s*/i, '')}`, 'subject'),
    attachments: [],
    headers: {},
    notifyBlock: null,
    notifyAuth: null,
    body: `Your message did not come to:\n\n${lines.join('\n')}\n\nIt is not sent again.`,
  };
}
