import { vi } from 'vitest';
import { addressAt } from './accounts.js';
import { type OtherClient, otherClient } from './other-client.js';

/** In what mail servers differ (docs/decisions.md#mail-servers). */
export interface ServerTraits {
  /** The result of a submission in the name of somebody else. */
  foreignSender: string;
  /** How often a message comes that is submitted twice. */
  submittedTwice: number;
  /** The answer of the method that reports submissions. */
  records: string;
  /** The result of a change of what cannot change. */
  immutable: string;
  /** A query after a second has what came in that second. */
  hasSecondItself: boolean;
  /** The status of `EventSource`. */
  events: number;
  /** The addresses in the session have an origin. */
  absolute: boolean;
}

type Results = { list: { id: string; role?: string; email?: string }[]; ids: string[]; type?: string } & {
  created?: Record<string, { id: string }>;
  notCreated?: Record<string, { type: string }>;
  notUpdated?: Record<string, { type: string }>;
};
const [alice, bob] = [addressAt('alice'), addressAt('bob')];

/** @param server with the accounts of Alice and Bob, whose passwords are these. */
export async function serverTraits(
  server: { jmapUrl: string },
  passwords: Readonly<Record<string, string>>,
): Promise<ServerTraits> {
  const [hers, his] = [
    await otherClient(server, alice, passwords[alice]!),
    await otherClient(server, bob, passwords[bob]!),
  ];
  const ask = async (client: OtherClient, method: string, args: object): Promise<Results> =>
    (await client.call([[method, args as Record<string, unknown>]]))[0] as unknown as Results;
  const boxOf = async (client: OtherClient, role: string): Promise<string> =>
    (await ask(client, 'Mailbox/get', { ids: null })).list.find((box) => box.role === role)!.id;
  const [drafts, inbox] = [await boxOf(hers, 'drafts'), await boxOf(his, 'inbox')];
  const identityId = (await ask(hers, 'Identity/get', { ids: null })).list[0]!.id;
  const made = async (subject: string, from = alice): Promise<string> => {
    const text = { textBody: [{ partId: 't', type: 'text/plain' }], bodyValues: { t: { value: 'x\n' } } };
    const people = { from: [{ email: from }], to: [{ email: bob }] };
    const mail = { ...people, ...text, subject, mailboxIds: { [drafts]: true }, keywords: { $draft: true } };
    return (await ask(hers, 'Email/set', { create: { mail } })).created!.mail!.id;
  };
  const submit = (emailId: string): Promise<Results> => {
    const envelope = { mailFrom: { email: alice }, rcptTo: [{ email: bob }] };
    return ask(hers, 'EmailSubmission/set', { create: { post: { identityId, emailId, envelope } } });
  };
  const came = async (): Promise<string[]> => {
    const { ids } = await ask(his, 'Email/query', { filter: { inMailbox: inbox } });
    const { list } = await ask(his, 'Email/get', { ids, properties: ['subject'] });
    return (list as unknown as { subject: string }[]).map(({ subject }) => subject);
  };

  const twice = await made('twice');
  for (const _ of [1, 2]) await submit(twice);
  const foreign = await submit(await made('foreign', addressAt('eve')));
  await submit(await made('behind'));
  const arrived = await vi.waitUntil(async () => (await came()).includes('behind') && came(), {
    timeout: 20_000,
    interval: 50,
  });
  const records = await ask(hers, 'EmailSubmission/query', {});
  const changed = await ask(hers, 'Email/set', { update: { [twice]: { subject: 'other' } } });
  const second = new Date(Date.UTC(2026, 0, 1));
  await his.bringIn('Subject: then\r\n\r\nx\r\n', second);
  const before = new Date(second.getTime() + 1000).toISOString().replace('.000', '');
  const filter = { inMailbox: inbox, after: second.toISOString().replace('.000', ''), before };
  return {
    foreignSender: foreign.notCreated?.post?.type ?? 'sent',
    submittedTwice: arrived.filter((subject) => subject === 'twice').length,
    records: records.type ?? 'known',
    immutable: changed.notUpdated?.[twice]?.type ?? 'nothing',
    hasSecondItself: (await ask(his, 'Email/query', { filter })).ids.length > 0,
    ...(await sessionTraits(server.jmapUrl, `${alice}:${passwords[alice]}`)),
  };
}

async function sessionTraits(url: string, login: string): Promise<Pick<ServerTraits, 'events' | 'absolute'>> {
  const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
  const found = await fetch(url, { headers });
  const session = (await found.json()) as { apiUrl: string; eventSourceUrl: string };
  const template = session.eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'no');
  const stop = new AbortController();
  const events = await fetch(new URL(template.replace('{ping}', '30'), found.url), {
    headers,
    signal: stop.signal,
  });
  stop.abort();
  return { events: events.status, absolute: URL.canParse(session.apiUrl) };
}
