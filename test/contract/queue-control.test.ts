import { expect, test } from 'vitest';
import { readEvents, readLedger } from './support/events.js';
import { serve } from './support/served.js';

const served = serve();
const queue = async () => (await served.ask('GET', '/v1/control/queue')).body;
const set = (paused: boolean) => served.ask('PUT', '/v1/control/queue', { paused });
const prompts = () => readLedger(served.session.ledger).flatMap((line) => line.prompt ?? []);

test('a paused queue takes requests and starts none, also after a restart', async () => {
  expect(await queue()).toEqual({
    schema_version: 1,
    paused: false,
    queue_depth: 0,
    next_request_id: null,
    fault: null,
  });
  const running = (await served.prompt('[[slow=60000]] runs on')).body.request_id;
  await expect.poll(prompts).toContain('[[slow=60000]] runs on');
  expect((await set(true)).body).toEqual({
    schema_version: 1,
    paused: true,
    queue_depth: 1,
    next_request_id: null,
    fault: null,
  });
  const waiting = (await served.prompt('held back')).body.request_id;
  expect((await served.ask('GET', `/v1/requests/${running}`)).body.state).toBe('running');
  // An interrupt is carried out: it waits for nothing.
  await served.interrupt();
  expect((await served.final(running)).error.code).toBe('interrupted');
  await served.restart();
  expect(await queue()).toEqual({
    schema_version: 1,
    paused: true,
    queue_depth: 1,
    next_request_id: waiting,
    fault: null,
  });
  const refused = await served.ask('POST', '/v1/control/prompt', { prompt: 'direct' });
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toMatchObject({
    error_code: 'not_ready',
    detail: expect.stringMatching(/ paused with 1 prompt waiting/),
  });
  const direct = await served.ask('POST', '/v1/control/prompt', { prompt: 'direct', force: true });
  await served.ended(direct.headers.get('x-houmao-turn-id') ?? '');
  expect((await served.ask('GET', `/v1/requests/${waiting}`)).body).toMatchObject({
    state: 'accepted',
    waiting_reason: { code: 'paused' },
  });
  expect(prompts()).not.toContain('held back');
  expect((await set(false)).body).toMatchObject({ paused: false });
  expect((await served.final(waiting)).state).toBe('completed');
});

test('doing it twice is the same as once, and each change is reported once', async () => {
  const reported = () =>
    readEvents(served.session.paths)
      .filter((event) => /^queue_/.test(event.kind))
      .map((event) => event.kind);
  const before = reported().length;
  for (const paused of [true, true, false, false]) expect((await set(paused)).status).toBe(200);
  expect(reported().slice(before)).toEqual(['queue_paused', 'queue_resumed']);
});

test.each([
  [{}, 'missing', ['body', 'paused']],
  [{ paused: 'yes' }, 'bool_type', ['body', 'paused']],
  [{ paused: null }, 'bool_type', ['body', 'paused']],
  [{ paused: true, until: 5 }, 'extra_forbidden', ['body', 'until']],
])('%j is refused and changes nothing', async (body, type, loc) => {
  const answer = await served.ask('PUT', '/v1/control/queue', body);
  expect([answer.status, answer.body.detail]).toEqual([422, [expect.objectContaining({ type, loc })]]);
  expect((await queue()).paused).toBe(false);
});
