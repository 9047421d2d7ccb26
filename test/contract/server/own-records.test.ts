import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentsOf, takenPrompts } from '../../e2e/recovery/evidence.js';
import { idOf, pathOf } from '../../e2e/server/turns-of.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';

// An agent that the server alone runs has records of its own, which are found whatever becomes of its manifest.

let session: TestSession;
let server: ManagedServer;
beforeEach(async () => {
  session = await makeSession();
  server = await openManagedServer(session.folder);
  const manifest = JSON.parse(readFileSync(session.paths.manifest, 'utf8'));
  const authority = { api_base_url: server.url, managed_agent_ref: idOf(session) };
  manifest.gateway_authority = { attach: authority, control: authority };
  manifest.runtime.agent_def_dir = null;
  writeFileSync(session.paths.manifest, JSON.stringify(manifest));
});
afterEach(async () => {
  await server.close();
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

test('a turn stays readable under its id, and its key is known, when the manifest cannot be read any more', async () => {
  const key = { 'Idempotency-Key': 'once' };
  const prompt = () => server.ask('POST', pathOf(session, '/turns'), { prompt: 'hello' }, key);
  const { body } = await prompt();
  const path = pathOf(session, `/turns/${body.turn_id}`);
  const ended = await server.ask('GET', `${path}?wait_seconds=30`);
  expect(ended.body).toMatchObject({ status: 'completed' });
  writeFileSync(session.paths.manifest, '{');
  // The process that had the session open gives it back, as after a while without turns.
  await server.server.sessions.forget(server.server.directory.list()[0]!);
  expect(await server.ask('GET', path)).toMatchObject({ status: 200, body: ended.body });
  expect((await server.ask('GET', pathOf(session, '/history'))).body.entries).toHaveLength(1);
  const again = await prompt();
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(takenPrompts(session.ledger)).toHaveLength(1);
});
