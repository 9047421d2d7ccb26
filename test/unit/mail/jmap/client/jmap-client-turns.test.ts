import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { MethodCall } from '../../../../../src/mail/jmap/client/method-calls.js';
import { credentialOf } from '../../../../support/jmap/accounts.js';
import { scriptedClient } from '../../../../support/jmap/scripted-client.js';
import { json, scriptedServer, sessionValue } from '../../../../support/jmap/scripted-server.js';
import { VirtualClock } from '../../../../support/virtual-clock.js';

const echo: MethodCall = ['Core/echo', {}, 'echo'];
test('what has no turn in its time was not asked, and is not asked later', async () => {
  const server = await scriptedServer();
  const held: ServerResponse[] = [];
  const core = { maxConcurrentRequests: 1 };
  server.session = (_asked, answer) =>
    json(answer, 200, { ...sessionValue, capabilities: { 'urn:ietf:params:jmap:core': core } });
  server.api = (_asked, answer) => void held.push(answer);
  const clock = new VirtualClock('2026-03-19T08:00:00Z');
  const client = scriptedClient(server, { clock });
  // A change may take a minute, a look ten seconds.
  const first = client.call('change', [echo]);
  await expect.poll(() => held.length).toBe(1);
  const leaving = new AbortController();
  const left = client.call('change', [echo], leaving.signal);
  const late = client.call('look', [echo]);
  const all = Promise.allSettled([left, late]);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'unreachable', outcomeUnknown: false });
  clock.pass(10_001);
  await all;
  await expect(late).rejects.toMatchObject({
    code: 'unreachable',
    outcomeUnknown: false,
    message: expect.stringMatching(/nothing was asked within 10 s$/),
  });
  json(held[0]!, 200, { methodResponses: [['Core/echo', { ok: true }, 'echo']] });
  await first;
  const next = client.call('look', [echo]);
  await expect.poll(() => held.length).toBe(2);
  json(held[1]!, 200, { methodResponses: [] });
  await next;
});

test('who leaves while the server does not let anybody in waits no longer', async () => {
  const server = await scriptedServer();
  server.session = () => undefined;
  const leaving = new AbortController();
  const call = scriptedClient(server).call('look', [echo], leaving.signal);
  await expect.poll(() => server.asked.length).toBe(1);
  leaving.abort();
  await expect(call).rejects.toMatchObject({ code: 'unreachable' });
});

test('a credential that was replaced is shown after a 403, too', async () => {
  const server = await scriptedServer();
  let password = 'old';
  server.api = ({ authorization }, answer) =>
    authorization === credentialOf('alice', 'new').authorization
      ? json(answer, 200, { methodResponses: [] })
      : json(answer, 403, {});
  const client = scriptedClient(server, { credential: () => credentialOf('alice', password) });
  await expect(client.call('look', [echo])).rejects.toThrow(/refuses every login .*\(403\)/);
  const shown = server.asked.length;
  // Not again, for a while.
  await expect(client.call('look', [echo])).rejects.toMatchObject({ code: 'server_refused' });
  expect(server.asked.length).toBe(shown);
  password = 'new';
  await client.call('look', [echo]);
});
