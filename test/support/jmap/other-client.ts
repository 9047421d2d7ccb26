import type { CyrusServer } from './cyrus-server.js';

/** A user of a mail server, as another program than ours would be. */
export interface OtherClient {
  call(calls: readonly (readonly [string, Record<string, unknown>])[]): Promise<Record<string, never>[]>;
  /** Puts a message into the inbox that counts as having come then. @returns its id. */
  bringIn(raw: string, receivedAt: Date): Promise<string>;
}

/** @param server where the session is asked for. */
export async function otherClient(
  { jmapUrl }: Pick<CyrusServer, 'jmapUrl'>,
  address: string,
  password: string,
): Promise<OtherClient> {
  const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`;
  const found = await fetch(jmapUrl, { headers: { authorization } });
  const session = (await found.json()) as { apiUrl: string; uploadUrl: string; primaryAccounts: object };
  const accountId = Object.values(session.primaryAccounts)[0] as string;
  const ask = async (url: string, body: string, type: string): Promise<unknown> => {
    const headers = { authorization, 'content-type': type };
    const answer = await fetch(new URL(url, found.url), { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${url} ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const call: OtherClient['call'] = async (calls) => {
    const methodCalls = calls.map(([method, args], index) => [method, { accountId, ...args }, `${index}`]);
    const using = ['core', 'mail', 'submission'].map((name) => `urn:ietf:params:jmap:${name}`);
    const answer = await ask(session.apiUrl, JSON.stringify({ using, methodCalls }), 'application/json');
    return (answer as { methodResponses: [string, Record<string, never>][] }).methodResponses.map(
      ([, result]) => result,
    );
  };
  return {
    call,
    bringIn: async (raw, receivedAt) => {
      const upload = session.uploadUrl.replace('{accountId}', encodeURIComponent(accountId));
      const { blobId } = (await ask(upload, raw, 'message/rfc822')) as { blobId: string };
      const [boxes] = await call([['Mailbox/get', { ids: null }]]);
      const { id } = (boxes as unknown as { list: { id: string; role: string }[] }).list.find(
        ({ role }) => role === 'inbox',
      )!;
      const mail = {
        blobId,
        mailboxIds: { [id]: true },
        // Of no meaning: Apache James takes no message without any.
        keywords: { brought: true },
        receivedAt: `${receivedAt.toISOString().slice(0, 19)}Z`,
      };
      const [imported] = await call([['Email/import', { emails: { mail } }]]);
      const { created } = imported as unknown as { created?: { mail: { id: string } } };
      if (!created) throw new Error(JSON.stringify(imported));
      return created.mail.id;
    },
  };
}
