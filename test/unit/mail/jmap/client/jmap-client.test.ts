import type { ServerResponse } from 'node:http';
import { Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../../src/foundation/clock.js';
import type { Credential } from '../../../../../src/mail/jmap/client/credential-file.js';
import { JmapClient } from '../../../../../src/mail/jmap/client/jmap-client.js';
import type { MethodCall } from '../../../../../src/mail/jmap/client/method-calls.js';
import { credentialOf } from '../../../../support/jmap/accounts.js';
import { aliceCredential, scriptedClient } from '../../../../support/jmap/scripted-client.js';
import {
  json,
  type ScriptedServer,
  scriptedServer,
  sessionValue,
} from '../../../../support/jmap/scripted-server.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const echo: MethodCall = ['Core/echo', {}, 'echo'];
const EchoSchema = Type.Object({ ok: Type.Boolean() });
const credential = aliceCredential;

const clientOf = (server: ScriptedServer, read: () => Credential = () => credential): JmapClient =>
  scriptedClient(server, { credential: read });

const paths = ({ asked }: ScriptedServer): string[] => asked.map(({ path }) => path);
const fault = (code: string, more: object = {}) =>
  expect.objectContaining({ name: 'MailFault', code, ...more });
const ask = async (client: JmapClient, kind: 'look' | 'change' = 'look'): Promise<unknown> =>
  (await client.call(kind, [echo])).of(echo, EchoSchema);

test('signs in once, as the agent, and names the account in each call', async () => {
  const server = await scriptedServer();
  const client = clientOf(server);
  expect(await ask(client)).toEqual({ ok: true });
  await ask(client, 'change');
  expect(paths(server)).toEqual(['/jmap', '/api', '/api']);
  for (const { authorization } of server.asked) expect(authorization).toBe(credential.authorization);
  expect(JSON.parse(server.asked[1]!.body)).toMatchObject({
    methodCalls: [['Core/echo', { accountId: 'a' }, 'echo']],
  });
});

test('has a connection of its own for each request to a server of this machine', async () => {
  const server = await scriptedServer();
  const client = clientOf(server);
  for (const kind of ['look', 'change'] as const) await ask(client, kind);
  expect(server.asked.map(({ connection }) => connection)).toEqual(['close', 'close', 'close']);
});

test('follows a redirect of the server itself, and never to another', async () => {
  const [server, other] = [await scriptedServer(), await scriptedServer()];
  server.session = ({ path }, answer) =>
    path === '/jmap' ? answer.writeHead(301, { location: '/else' }).end() : json(answer, 200, sessionValue);
  await ask(clientOf(server));
  expect(paths(server)).toEqual(['/jmap', '/else', '/api']);
  server.session = (_asked, answer) => answer.writeHead(307, { location: `${other.url}/jmap` }).end();
  await expect(ask(clientOf(server))).rejects.toThrow(/sends callers to another server/);
  server.session = (_asked, answer) => answer.writeHead(302, { location: '/jmap' }).end();
  await expect(ask(clientOf(server))).rejects.toThrow(/in a circle/);
  expect(other.asked).toEqual([]);
});

test.each([404, 405])(
  'a session that is not there (%i) is looked for where the server says',
  async (status) => {
    const server = await scriptedServer();
    server.session = ({ path }, answer) => {
      if (path === '/.well-known/jmap') return json(answer, 307, null, { location: '/jmap/session' });
      json(answer, path === '/jmap/session' ? 200 : status, sessionValue);
    };
    expect(await ask(clientOf(server))).toEqual({ ok: true });
    expect(paths(server)).toEqual(['/jmap', '/.well-known/jmap', '/jmap/session', '/api']);
    // Where it is not there either, the address that was given is reported.
    server.session = (_asked, answer) => json(answer, status, {});
    await expect(ask(clientOf(server))).rejects.toThrow(`/jmap answered with ${status}, not a JMAP session`);
  },
);

test('asks on the origin that was given, whatever the session says', async () => {
  const [server, other] = [await scriptedServer(), await scriptedServer()];
  server.session = (_asked, answer) => json(answer, 200, { ...sessionValue, apiUrl: `${other.url}/api` });
  await ask(clientOf(server));
  expect([paths(server), other.asked]).toEqual([['/jmap', '/api'], []]);
});

test.each([
  [401, 'unauthorized'],
  [403, 'server_refused'],
  [500, 'server_refused'],
])('a sign-in that is answered with %i', async (status, code) => {
  const server = await scriptedServer();
  server.session = (_asked, answer) => json(answer, status, { detail: 'sesame' });
  await expect(ask(clientOf(server))).rejects.toThrow(fault(code));
});

test('a page that is no session is reported as that', async () => {
  const server = await scriptedServer();
  server.session = (_asked, answer) =>
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>');
  await expect(ask(clientOf(server))).rejects.toThrow(/not answer with a JMAP session/);
});

const passwordIs =
  (password: string) =>
  ({ authorization }: { authorization: string | undefined }): boolean =>
    authorization === credentialOf('alice', password).authorization;

/** Lets in any caller that has that password by now. */
const guard =
  (password: () => string): ScriptedServer['session'] =>
  (asked, answer) =>
    passwordIs(password())(asked)
      ? json(
          answer,
          200,
          asked.path === '/api' ? { methodResponses: [['Core/echo', { ok: true }, 'echo']] } : sessionValue,
        )
      : json(answer, 401, { type: 'about:blank' });

test('a credential that was replaced meanwhile is read again within the call', async () => {
  const server = await scriptedServer();
  let password = 'old';
  const client = clientOf(server, () => credentialOf('alice', password));
  await ask(client);
  server.session = guard(() => 'new');
  server.api = server.session;
  password = 'new';
  expect(await ask(client, 'change')).toEqual({ ok: true });
  expect(paths(server)).toEqual(['/jmap', '/api', '/api', '/jmap', '/api']);
});

test('one that was not is reported, and is not shown again for an hour', async () => {
  const server = await scriptedServer();
  const clock = new VirtualClock('2026-03-19T08:00:00Z');
  let right = 'old';
  const credential = () => credentialOf('alice', 'new');
  const client = new JmapClient({ jmapUrl: `${server.url}/jmap`, credential, clock });
  server.session = guard(() => right);
  server.api = server.session;
  for (let tries = 0; tries < 5; tries += 1)
    await expect(ask(client, 'change')).rejects.toThrow(fault('unauthorized', { outcomeUnknown: false }));
  expect(paths(server)).toEqual(['/jmap']);
  right = 'new';
  clock.pass(3_599_999);
  await expect(ask(client)).rejects.toThrow(
    /it is not shown again before 2026-03-19T09:00:00Z, unless it is/,
  );
  expect(paths(server)).toEqual(['/jmap']);
  clock.pass(1);
  expect(await ask(client, 'change')).toEqual({ ok: true });
});

test('an address that moved is asked for once more', async () => {
  const server = await scriptedServer();
  const client = clientOf(server);
  await ask(client);
  const { api } = server;
  server.api = (asked, answer) => {
    server.api = api;
    json(answer, 404, asked.path);
  };
  expect(await ask(client, 'change')).toEqual({ ok: true });
  expect(paths(server)).toEqual(['/jmap', '/api', '/api', '/jmap', '/api']);
});

test.each([
  ['429', 429, {}, {}],
  [
    'a problem of limits',
    400,
    { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxConcurrentRequests' },
    {},
  ],
  ['429 with a time', 429, {}, { 'retry-after': '0' }],
])('%s: also a change is asked again', async (_what, status, problem, headers) => {
  const server = await scriptedServer();
  const { api } = server;
  server.api = (_asked, answer) => {
    server.api = api;
    json(answer, status, problem, headers);
  };
  expect(await ask(clientOf(server), 'change')).toEqual({ ok: true });
  expect(paths(server)).toEqual(['/jmap', '/api', '/api']);
});

test('a server without time is asked again for a look, and a change is not repeated', async () => {
  const server = await scriptedServer();
  server.api = (_asked, answer) => json(answer, 503, {});
  await expect(ask(clientOf(server), 'change')).rejects.toThrow(
    fault('server_refused', { outcomeUnknown: true }),
  );
  expect(paths(server)).toEqual(['/jmap', '/api']);
  const clock = new VirtualClock('2026-03-19T08:00:00Z');
  const looked = ask(scriptedClient(server, { clock, limit: 3_600_000 }));
  await expect(clock.passUntil(looked, 100)).rejects.toThrow(fault('server_refused'));
  expect(paths(server).slice(2)).toEqual(['/jmap', '/api', '/api', '/api', '/api', '/api']);
});

test.each(['look', 'change'] as const)('an answer that breaks off: %s', async (kind) => {
  const server = await scriptedServer();
  server.api = (_asked, answer) => {
    answer.writeHead(200, { 'content-length': '1000' });
    answer.write('{"methodResponses":', () => answer.destroy());
  };
  const outcomeUnknown = kind === 'change';
  await expect(ask(clientOf(server), kind)).rejects.toThrow(fault('unreachable', { outcomeUnknown }));
  expect(paths(server)).toEqual(kind === 'look' ? ['/jmap', '/api', '/api'] : ['/jmap', '/api']);
});

test('half a text of JSON, and what is no answer', async () => {
  const server = await scriptedServer();
  for (const text of ['{"methodResponses":[[', '[]', '']) {
    server.api = (_asked, answer) => answer.writeHead(200).end(text);
    await expect(ask(clientOf(server))).rejects.toThrow(fault('server_refused', { outcomeUnknown: false }));
    await expect(ask(clientOf(server), 'change')).rejects.toThrow(
      fault('server_refused', { outcomeUnknown: true }),
    );
  }
});

test('a server that is silent is given up after the limit, all tries together', async () => {
  const server = await scriptedServer();
  const tries: ServerResponse[] = [];
  server.api = (_asked, answer) => void tries.push(answer);
  const clock = new VirtualClock('2026-03-19T08:00:00Z');
  const answer = ask(scriptedClient(server, { clock, limit: 100_000 }));
  const reported: string[] = [];
  answer.catch((error: Error) => reported.push(error.message));
  await expect.poll(() => tries.length).toBe(1);
  clock.pass(50_000);
  tries[0]!.destroy();
  const nextTry = (): number => {
    clock.pass(20);
    return tries.length;
  };
  await expect.poll(nextTry, { interval: 5 }).toBe(2);
  clock.pass(99_999 - clock.monotonic());
  // Another client has a whole answer meanwhile.
  await scriptedClient(server).document();
  expect(reported).toEqual([]);
  clock.pass(1);
  await expect(answer).rejects.toThrow(/[\d.]+ s$/);
  expect(tries).toHaveLength(2);
});

test('nobody there was never asked', async () => {
  const client = new JmapClient({
    jmapUrl: 'http://127.0.0.1:47/jmap',
    credential: () => credential,
    clock: systemClock,
  });
  await expect(ask(client, 'change')).rejects.toThrow(
    fault('unreachable', {
      outcomeUnknown: false,
      message: 'http://127.0.0.1:47/jmap cannot be reached (ECONNREFUSED)',
    }),
  );
});

test('a refusal never holds the secret, though the server repeats it', async () => {
  const server = await scriptedServer();
  server.api = (asked, answer) => json(answer, 400, { type: 'sesame sesame', detail: asked.authorization });
  const message = await ask(clientOf(server)).catch((error: Error) => error.message);
  expect(message).toMatch(/answered with 400: \*\*\* \*\*\*, Basic \*\*\*$/);
});

test('an answer that is too long is not read to its end', async () => {
  const server = await scriptedServer();
  server.api = (_asked, answer) => {
    answer.writeHead(200);
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    let sent = 0;
    const more = (): void => {
      if (sent++ < 100 && !answer.destroyed) answer.write(piece, more);
      else answer.end();
    };
    more();
  };
  await expect(ask(clientOf(server), 'change')).rejects.toThrow(/answered with more than 64 MiB/);
});

test('four are asked at a time', async () => {
  const server = await scriptedServer();
  const open: (() => void)[] = [];
  let most = 0;
  server.api = (_asked, answer) => {
    open.push(() => json(answer, 200, { methodResponses: [['Core/echo', { ok: true }, 'echo']] }));
    most = Math.max(most, open.length);
  };
  const client = clientOf(server);
  const all = Promise.all(Array.from({ length: 20 }, () => ask(client)));
  // None is answered before four are asked.
  for (let answered = 0; answered < 20; answered += 1) {
    await expect.poll(() => open.length).toBe(Math.min(4, 20 - answered));
    open.shift()!();
  }
  await all;
  expect([most, paths(server).filter((path) => path === '/jmap')]).toEqual([4, ['/jmap']]);
});
