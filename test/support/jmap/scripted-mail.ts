import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/foundation/clock.js';
import { JmapTransport } from '../../../src/mail/jmap/jmap-transport.js';
import { type MailRefs, mailRefs } from '../../../src/mail/jmap/mail/email-ref.js';
import { addressAt, credentialOf } from './accounts.js';
import { byMethod, type ScriptedServer, scriptedServer } from './scripted-server.js';

const boxes = ['inbox', 'drafts', 'sent', 'archive'].map((role) => ({ id: role, name: role, role }));
export const email = (id: string, more: object = {}) => ({
  id,
  receivedAt: '2026-03-19T08:00:00Z',
  subject: 's',
  keywords: { $seen: true },
  mailboxIds: { inbox: true },
  ...more,
});

/** The page of a query's results (RFC 8620, section 5.5): a position below 0 counts from the end. */
export function pageOf(found: readonly string[], { position, limit }: { position: number; limit: number }) {
  const first = position < 0 ? Math.max(found.length + position, 0) : position;
  return { position: first, ids: found.slice(first, first + limit) };
}

/** How Alice names what is in her mailbox on that server. */
export const aliceRefs = ({ url }: ScriptedServer): MailRefs =>
  mailRefs({ jmapUrl: `${url}/jmap`, address: addressAt('alice') });

type Methods = Readonly<Record<string, (args: never) => unknown>>;

/** The answers of a mail server to its methods, but for those whose answers a test gives. */
export const mailMethods = (results: Methods): ScriptedServer['api'] =>
  byMethod({
    'Mailbox/get': () => ({ list: boxes }),
    'Email/query': () => ({ ids: [] }),
    'Email/get': ({ ids }: { ids: string[] }) => ({ list: ids.map((id) => email(id)) }),
    'Identity/get': () => ({ list: [{ id: 'me', email: addressAt('alice') }] }),
    ...results,
  });

/**
 * A server with two messages, whose answers to changes a test gives.
 * @param limit milliseconds for one call, on the clock. @returns the changes that it was asked for.
 */
export async function serverWith(
  results: Methods,
  limit?: number,
  clock: Clock = systemClock,
): Promise<{
  transport: JmapTransport;
  changes: Record<string, unknown>[];
  server: ScriptedServer;
  /** The reference of a message of hers. */
  ref: (id: string) => string;
}> {
  const server = await scriptedServer();
  const changes: Record<string, unknown>[] = [];
  server.api = mailMethods({
    ...results,
    'Email/set': (args: never) => {
      changes.push(args);
      return results['Email/set']?.(args) ?? allUpdated(args);
    },
  });
  const transport = new JmapTransport({
    jmapUrl: `${server.url}/jmap`,
    credential: () => credentialOf('alice', 'sesame'),
    clock,
    owner: { address: addressAt('alice'), principalId: 'HOUMAO-alice' },
    ...(limit !== undefined && { limit }),
  });
  onTestFinished(() => transport.close());
  return { transport, changes, server, ref: aliceRefs(server).message };
}

/** As a server that does what it is asked. */
export const allUpdated = ({ update = {} }: { update?: object }) => ({
  updated: Object.fromEntries(Object.keys(update).map((id) => [id, null])),
});

export const mail = {
  body: '',
  attachments: [],
  notifyBlock: null,
  notifyAuth: null,
  subject: 's',
  to: [addressAt('bob'), addressAt('carol')],
  cc: [],
};
export const submitted = {
  'EmailSubmission/set': () => ({ created: { post: { id: 'S1' } } }),
  'Email/set': (args: { create?: object; update?: object }) =>
    args.create ? { created: { mail: { id: 'M9' } } } : allUpdated(args),
};
export const no = { delivered: 'no', smtpReply: '550 5.1.1 unknown' };
export const statusOf = (deliveryStatus: object | null) => ({
  ...submitted,
  'EmailSubmission/get': () => ({ list: [{ id: 'S1', deliveryStatus }] }),
});
