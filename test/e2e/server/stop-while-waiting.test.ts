import { afterEach, expect, test } from 'vitest';
import { managedHost, startManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, heldAgent } from '../recovery/evidence.js';
import { pathOf } from './turns-of.js';

let session: TestSession;
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

test.each([
  ['of the server', false],
  ['of a gateway', true],
])(
  'a server that ends answers who waits for a turn %s with how it is; the turn goes on',
  async (_whose, attached) => {
    session = await makeSession();
    const host = managedHost(session.folder);
    const server = await startManagedServer(host, session.folder);
    if (attached) expect((await server.ask('POST', pathOf(session, '/gateway/attach'), {})).status).toBe(200);
    const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt: '[[slow=2000]] on and on' });
    const goOn = await heldAgent(session.ledger, 'on and on');
    const turn = pathOf(session, `/turns/${begun.body.turn_id}`);
    const wait = server.ask('GET', `${turn}?wait_seconds=60`);
    const requests = attached
      ? (await server.ask('GET', pathOf(session, '/gateway/requests'))).body.requests
      : [];
    const passed = requests.map(({ request_id }: { request_id: string }) =>
      server.ask('GET', pathOf(session, `/gateway/requests/${request_id}?wait_seconds=60`)),
    );
    expect(passed).toHaveLength(attached ? 1 : 0);
    // Answered after the waits have begun.
    await server.ask('GET', '/health');
    expect(await server.stop()).toBe(0);
    expect(await wait).toMatchObject({ status: 200, body: { status: 'active' } });
    for (const answer of await Promise.all(passed))
      expect(answer).toMatchObject({ status: 200, body: { state: 'running' } });
    expect(server.stderr()).toBe('');
    goOn();

    const next = await startManagedServer(host, session.folder);
    const ended = await next.ask('GET', `${turn}?wait_seconds=30`);
    expect(ended.body.status).toBe('completed');
    if (attached) await next.ask('POST', pathOf(session, '/gateway/detach'));
    expect(await next.stop()).toBe(0);
  },
);
