import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathOf } from '../../e2e/server/turns-of.js';
import { type AgentServer, startAgentServer } from '../../support/agent-server.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { ask } from '../support/ask.js';
import { becomeServerManaged } from '../support/edit-manifest.js';

// An agent whose turns another server runs, which does not take the interrupt.

let session: TestSession;
let other: AgentServer;
let server: ManagedServer;
beforeEach(async () => {
  other = await startAgentServer();
  await other.behave({ turnMilliseconds: null });
  session = await makeSession();
  becomeServerManaged(session.paths, other.url);
  server = await openManagedServer(session.folder);
});
afterEach(async () => {
  await server.close();
  await other.kill();
  session.remove();
});

test.each([
  ['/interrupt', undefined],
  ['/requests', { request_kind: 'interrupt' }],
])('an interrupt that cannot be delivered is 502, and the turn goes on: %s', async (path, body) => {
  const begun = await ask(server.url, 'POST', pathOf(session, '/turns'), { prompt: 'long' });
  expect(begun.status).toBe(200);
  await expect
    .poll(async () =>
      (await other.calls()).some(({ method, path }) => method === 'POST' && path.endsWith('/requests')),
    )
    .toBe(true);
  await other.behave({ faults: { '/requests': { status: 500, text: '{"detail":"no signal"}' } } });
  expect(await ask(server.url, 'POST', pathOf(session, path), body)).toMatchObject({
    status: 502,
    body: { detail: expect.stringMatching(/answered 500: no signal/) },
  });
  const turn = pathOf(session, `/turns/${begun.body.turn_id}`);
  expect((await ask(server.url, 'GET', turn)).body.status).toBe('active');
  await other.behave({ faults: {} });
  await other.finish();
  expect((await ask(server.url, 'GET', `${turn}?wait_seconds=30`)).body.status).toBe('completed');
});
