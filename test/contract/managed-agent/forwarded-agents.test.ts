import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { ownTmux } from '../../support/own-tmux.js';
import { ask } from '../support/ask.js';
import { passedOperations } from '../support/forwarded-operations.js';

// Agents that nobody knows more of than that they were registered.

const tmux = ownTmux();
const folder = mkdtempSync(join(tmpdir(), 'houmao-registered-'));
let server: ManagedServer;

async function register(session: string, more: string): Promise<void> {
  tmux.run('new-session', '-d', '-s', session, 'sleep 3600');
  const query = `session_name=${session}&tool=claude&${more}`;
  expect(await call(server.url, 'POST', `/houmao/launches/register?${query}`)).toMatchObject({ status: 200 });
}

beforeAll(async () => {
  server = await openManagedServer(folder, tmux);
  await register('alone', 'terminal_id=abcd1234');
  await register('one', 'terminal_id=abcd0001&agent_name=twin');
  await register('two', 'terminal_id=abcd0002&agent_name=twin');
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const cases = passedOperations.map((one) => [one.operationId, one] as const);

test('a name that two agents have is a 409 that names them', async () => {
  expect(await ask(server.url, 'GET', '/houmao/agents/twin/gateway/control/queue')).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('one, two') },
  });
});

test.each(cases)('%s needs a session root, or says first that there is no mailbox', async (_id, one) => {
  const answer = await ask(server.url, one.method, `/houmao/agents/alone${one.path}`, one.body);
  expect(answer).toMatchObject(
    one.mail
      ? { status: 503, body: { detail: expect.stringMatching(/^Agent `alone` has no mailbox\./) } }
      : { status: 422, body: { detail: 'Agent `alone` has no session root, so it can have no gateway.' } },
  );
});
