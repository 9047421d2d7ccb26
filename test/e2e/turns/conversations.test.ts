import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call, promptAndWait, waitFinal } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { expectedLines } from '../recovery/evidence.js';

// A gateway for each test: what is pinned at its beginning is part of each.
let session: TestSession;
let gateway: GatewayProcess;
beforeEach(async () => {
  session = await makeSession();
  gateway = await startGateway(session);
});
afterEach(async () => {
  expect(await gateway.stop()).toBe(0);
  session.remove();
});

const pinned = (): string | null =>
  JSON.parse(readFileSync(session.paths.manifest, 'utf8')).headless.session_id;
const direct = (body: unknown) => call(gateway.url, 'POST', '/v1/control/prompt', body);
const run = (prompt: string, mode?: string, id?: string) =>
  promptAndWait(
    gateway.url,
    prompt,
    mode === undefined ? {} : { chat_session: { mode, ...(id === undefined ? {} : { id }) } },
  );

test('current without a pinned conversation: refused directly, failed in the queue', async () => {
  expect(await direct({ prompt: 'x', chat_session: { mode: 'current' } })).toMatchObject({
    status: 409,
    body: { detail: { error_code: 'missing_current_chat_session' } },
  });
  expect(await run('x', 'current')).toMatchObject({
    state: 'failed',
    error: { code: 'missing_current_chat_session' },
    turn: null,
  });
});

test('turns continue one conversation, unless asked otherwise', async () => {
  const first = await run('one');
  expect(first.turn.answer.text).toContain('turn 1 of this conversation');
  expect(pinned()).toBe(first.turn.provider_session_id);
  const second = await run('two');
  expect(second.turn.provider_session_id).toBe(first.turn.provider_session_id);
  expect(second.turn.answer.text).toContain('turn 2 of this conversation');
  expect((await run('three', 'current')).turn.answer.text).toContain('turn 3 ');
  const fresh = await run('fresh', 'new');
  expect(fresh.turn.answer.text).toContain('turn 1 ');
  expect(fresh.turn.provider_session_id).not.toBe(first.turn.provider_session_id);
  expect(pinned()).toBe(fresh.turn.provider_session_id);
  const exact = await run('back', 'exact', first.turn.provider_session_id);
  expect(exact.turn.provider_session_id).toBe(first.turn.provider_session_id);
  expect(exact.turn.answer.text).toContain('turn 4 ');
  expect((await run('latest', 'tool_last_or_new')).turn.answer.text).toContain('turn 5 ');
});

test('next-prompt-session starts one fresh direct prompt, and only one', async () => {
  await run('pin something', 'new');
  const before = pinned();
  expect(
    (await call(gateway.url, 'POST', '/v1/control/headless/next-prompt-session', { mode: 'new' })).status,
  ).toBe(200);
  const sent = await direct({ prompt: 'direct' });
  const turn = (
    await call(gateway.url, 'GET', `/v1/turns/${sent.headers.get('x-houmao-turn-id')}?wait_seconds=20`)
  ).body;
  expect(turn.provider_session_id).not.toBe(before);
  expect(turn.answer.text).toContain('turn 1 ');
  expect((await run('queue')).turn.provider_session_id).toBe(turn.provider_session_id);
});

test('a lost conversation fails its turn, drops the pin, and the next prompt starts afresh', async () => {
  const lost = (await run('to be forgotten', 'new')).turn.provider_session_id;
  rmSync(join(session.folder, 'home', 'standin-sessions', `${lost}.json`));
  expect(await run('are you there')).toMatchObject({
    state: 'failed',
    error: { code: 'provider_session_lost' },
  });
  expect(pinned()).toBeNull();
  expect(expectedLines(session.paths).events.map((line) => JSON.parse(line).kind)).toContain(
    'provider_session_lost',
  );
  const next = await run('hello again');
  expect(next).toMatchObject({ state: 'completed' });
  expect(next.turn.answer.text).toContain('turn 1 ');
});

test('an interrupted first turn pins its conversation all the same', async () => {
  const accepted = await call(gateway.url, 'POST', '/v1/requests', {
    kind: 'submit_prompt',
    payload: { prompt: '[[slow=60000]] cut off', chat_session: { mode: 'new' } },
  });
  const id = accepted.body.request_id;
  await expect
    .poll(async () => (await call(gateway.url, 'GET', `/v1/requests/${id}`)).body.turn?.delivery.state)
    .toBe('confirmed');
  await call(gateway.url, 'POST', '/v1/requests', { kind: 'interrupt', payload: {} });
  const record = await waitFinal(gateway.url, id);
  expect(record.turn.outcome).toBe('interrupted');
  expect(pinned()).toBe(record.turn.provider_session_id);
});
