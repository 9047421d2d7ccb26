import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takenPrompts } from '../../e2e/recovery/evidence.js';
import { pathOf } from '../../e2e/server/turns-of.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { ask } from '../support/ask.js';

// A database of a session that another program has spoilt: nothing is known of its turns, so none is begun and none is shown.

let session: TestSession;
let server: ManagedServer;
beforeAll(async () => {
  session = await makeSession();
  writeFileSync(session.paths.queue, 'no database at all, but long enough to be read as one'.repeat(40));
  server = await openManagedServer(session.folder);
});
afterAll(async () => {
  await server.close();
  session.remove();
});

const prompt = { prompt: 'hello' };

test.each([
  ['POST', '/requests', { request_kind: 'submit_prompt', ...prompt }],
  ['POST', '/requests', { request_kind: 'interrupt' }],
  ['POST', '/turns', prompt],
  ['POST', '/interrupt', undefined],
  ['POST', '/gateway/internal/headless-prompt', prompt],
  ['POST', '/gateway/internal/headless-interrupt', undefined],
  ['GET', '/turns/turn-1', undefined],
  ['GET', '/turns/turn-1/record', undefined],
  ['GET', '/turns/turn-1/stream', undefined],
  ['GET', '/turns/turn-1/events', undefined],
  ['GET', '/turns/turn-1/artifacts/stdout', undefined],
  ['GET', '/turns/turn-1/artifacts/stderr', undefined],
  ['GET', '/history', undefined],
] as const)('%s %s is 503 while the records of the session cannot be read', async (method, path, body) => {
  const answer = await ask(server.url, method, pathOf(session, path), body);
  expect(answer).toMatchObject({
    status: 503,
    body: { detail: expect.stringMatching(/cannot be read/) },
  });
  expect(answer.body.detail).not.toContain('/');
  expect(takenPrompts(session.ledger)).toEqual([]);
  expect(server.faults.filter((fault) => fault.includes('Error'))).toEqual([]);
});
