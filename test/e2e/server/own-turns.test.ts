import { existsSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { managedHost, type ServerProcess, startManagedServer } from '../../support/managed-server.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { agentsOf, heldAgent, takenPrompts } from '../recovery/evidence.js';
import { idOf, pathOf } from './turns-of.js';

// Turns that the server itself runs: agents without a gateway.

let session: TestSession;
let server: ServerProcess;
afterEach(() => {
  expect(agentsOf(session)).toEqual([]);
  session.remove();
});

const start = async (): Promise<ServerProcess> =>
  startManagedServer(managedHost(session.folder), session.folder);

test('a prompt runs as a turn, which can be followed to its end and read afterwards', async () => {
  session = await makeSession();
  server = await start();
  const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt: ' hello ' });
  expect(begun).toMatchObject({
    status: 200,
    body: { success: true, tracked_agent_id: idOf(session), turn_index: 1, status: 'active' },
  });
  const turnId: string = begun.body.turn_id;
  expect(turnId).toMatch(/^turn-[0-9a-f]{12}$/);
  const ended = await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=30`));
  expect(ended).toMatchObject({
    status: 200,
    body: { turn_id: turnId, turn_index: 1, status: 'completed', returncode: 0, error: null },
  });
  for (const path of [ended.body.stdout_path, ended.body.stderr_path, ended.body.status_path])
    expect(existsSync(path)).toBe(true);
  const record = await server.ask('GET', pathOf(session, `/turns/${turnId}/record`));
  expect(record.body).toMatchObject({
    origin: 'direct',
    state: 'ended',
    outcome: 'completed',
    delivery: { state: 'confirmed' },
    answer: { text: expect.stringContaining('You said: hello (turn 1 ') },
  });
  const events = await server.ask('GET', pathOf(session, `/turns/${turnId}/events`));
  expect(events.body.entries.map(({ kind }: { kind: string }) => kind)).toContain('completion');
  expect(new Set(events.body.entries.map((entry: { turn_index: number }) => entry.turn_index))).toEqual(
    new Set([1]),
  );
  const part = await fetch(`${server.url}${pathOf(session, `/turns/${turnId}/artifacts/stdout`)}`, {
    headers: { Range: 'bytes=0-7' },
  });
  expect([part.status, await part.text()]).toEqual([206, '{"type":']);
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toBe('');
});

test('of fifty prompts at once one is taken; the others learn that a turn runs', async () => {
  session = await makeSession();
  server = await start();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      server.ask('POST', pathOf(session, '/turns'), { prompt: `[[slow=60000]] number ${index}` }),
    ),
  );
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(1);
  const turnId: string = taken[0]?.body.turn_id;
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(49);
  for (const { body } of refused) expect(body.detail).toContain(turnId);
  await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(1);
  expect((await server.ask('POST', pathOf(session, '/interrupt'))).body.turn_id).toBe(turnId);
  const ended = await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=30`));
  expect(ended.body.status).toBe('interrupted');
  expect(takenPrompts(session.ledger)).toHaveLength(1);
  expect(await server.stop()).toBe(0);
});

test('an interrupt stops the turn; an idle agent has nothing to stop', async () => {
  session = await makeSession();
  server = await start();
  const idle = await server.ask('POST', pathOf(session, '/requests'), { request_kind: 'interrupt' });
  expect(idle.body).toMatchObject({ success: true, disposition: 'no_op', headless_turn_id: null });
  const begun = await server.ask('POST', pathOf(session, '/requests'), {
    request_kind: 'submit_prompt',
    prompt: '[[slow=60000]] long',
  });
  const turnId: string = begun.body.headless_turn_id;
  expect(begun.headers.get('x-houmao-turn-id')).toBe(turnId);
  await expect.poll(() => takenPrompts(session.ledger)).toHaveLength(1);
  const stopped = await server.ask('POST', pathOf(session, '/requests'), { request_kind: 'interrupt' });
  expect(stopped.body).toMatchObject({
    disposition: 'accepted',
    request_id: expect.stringMatching(/^mreq-[0-9a-f]{12}$/),
    headless_turn_id: turnId,
    headless_turn_index: 1,
  });
  const ended = await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=30`));
  expect(ended.body).toMatchObject({ status: 'interrupted' });
  const none = await server.ask('POST', pathOf(session, '/interrupt'));
  expect(none.body).toMatchObject({ success: true, turn_id: null });
  expect(await server.stop()).toBe(0);
});

test('a server that is killed leaves its turn running; the next one sees its real end', async () => {
  session = await makeSession();
  server = await start();
  const begun = await server.ask('POST', pathOf(session, '/turns'), { prompt: '[[slow=2000]] on and on' });
  const turnId: string = begun.body.turn_id;
  const goOn = await heldAgent(session.ledger, 'on and on');
  await server.kill();
  server = await start();
  const busy = await server.ask('POST', pathOf(session, '/turns'), { prompt: 'me too' });
  expect(busy.status).toBe(409);
  goOn();
  const ended = await server.ask('GET', pathOf(session, `/turns/${turnId}?wait_seconds=30`));
  expect(ended.body).toMatchObject({ status: 'completed', returncode: 0, turn_index: 1 });
  const record = await server.ask('GET', pathOf(session, `/turns/${turnId}/record`));
  expect(record.body.answer.text).toContain('You said: on and on (turn 1 ');
  const next = await server.ask('POST', pathOf(session, '/turns'), { prompt: 'goes on' });
  const after = await server.ask(
    'GET',
    pathOf(session, `/turns/${next.body.turn_id}/record?wait_seconds=30`),
  );
  expect(after.body.answer.text).toContain('(turn 2 ');
  expect(takenPrompts(session.ledger)).toHaveLength(2);
  expect(await server.stop()).toBe(0);
});
