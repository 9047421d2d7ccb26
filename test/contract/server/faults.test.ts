import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { ask } from '../support/ask.js';

let session: TestSession;
let server: ManagedServer;
beforeAll(async () => {
  session = await makeSession();
  server = await openManagedServer(session.folder);
});
afterAll(async () => {
  await server.close();
  session.remove();
});

test('a fault of the server is 500 with a request id and nothing from inside; what it reports has the rest', async () => {
  const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt: 'hello' });
  const path = pathOf(session, `/turns/${begun.body.turn_id}`);
  expect((await server.ask('GET', `${path}?wait_seconds=30`)).body.status).toBe('completed');
  // The server owns the turns of this session, which no other program is to change.
  const database = openDatabase(session.paths.queue);
  database.exec('ALTER TABLE turn_usage RENAME COLUMN usage_json TO taken_away');
  const { status, body, headers } = await ask(server.url, 'GET', path);
  const id = headers.get('x-request-id');
  expect([status, body]).toEqual([500, { detail: `Internal fault; see request ${id} in the server log.` }]);
  expect(server.faults.filter((fault) => fault.includes(`request ${id} GET ${path}`))).toEqual([
    expect.stringContaining('no such column'),
  ]);
  database.exec('ALTER TABLE turn_usage RENAME COLUMN taken_away TO usage_json');
  database.close();
  expect((await server.ask('GET', path)).body.status).toBe('completed');
});
