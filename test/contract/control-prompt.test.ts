import { describe, expect, test } from 'vitest';
import { readEvents, readLedger } from './support/events.js';
import { serve } from './support/served.js';

const served = serve();
const send = (body: object) => served.ask('POST', '/v1/control/prompt', body);
const turnOf = (headers: Headers): string => headers.get('x-houmao-turn-id') ?? '';
const controlEvents = (turnId: string) =>
  readEvents(served.session.paths)
    .filter((event) => event.turn_id === turnId)
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('control_prompt_'));

describe('POST /v1/control/prompt', () => {
  test('dispatches, names the turn in headers and ends with an event', async () => {
    const requests = async () => (await served.ask('GET', '/v1/requests')).body.requests;
    const before = await requests();
    const { status, body, headers } = await send({ prompt: 'do it now' });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      action: 'submit_prompt',
      sent: true,
      forced: false,
      detail: 'Prompt dispatched.',
    });
    expect(turnOf(headers)).toMatch(/^turn-[0-9a-f]{12}$/);
    expect(headers.get('location')).toBe(`/v1/turns/${turnOf(headers)}`);
    expect(await served.ended(turnOf(headers))).toMatchObject({ outcome: 'completed', origin: 'direct' });
    expect(controlEvents(turnOf(headers))).toEqual(['control_prompt_submitted', 'control_prompt_completed']);
    expect(await requests()).toEqual(before);
  });

  test('writes the events that older clients read', async () => {
    const { headers } = await send({ prompt: '[[exit=7]] fail', force: true });
    await served.ended(turnOf(headers));
    const events = readEvents(served.session.paths).filter((event) => event.turn_id === turnOf(headers));
    const stamp = expect.stringMatching(/\+00:00$/);
    expect(events.find(({ kind }) => kind === 'control_prompt_submitted')).toEqual({
      seq: expect.any(Number),
      kind: 'control_prompt_submitted',
      at_utc: stamp,
      forced: true,
      submitted_at_utc: stamp,
      turn_id: turnOf(headers),
    });
    expect(events.find(({ kind }) => kind === 'control_prompt_failed')).toMatchObject({
      turn_id: turnOf(headers),
      error_detail: expect.stringContaining('code 7'),
      finished_at_utc: stamp,
    });
  });

  test('hands over model and effort for this turn only', async () => {
    const execution = { model: { name: 'opus', reasoning: { level: 2 } } };
    await served.ended(turnOf((await send({ prompt: 'with a model', execution })).headers));
    await served.ended(turnOf((await send({ prompt: 'without' })).headers));
    const taken = readLedger(served.session.ledger).filter((line) => line.prompt);
    expect(taken.find((line) => line.prompt === 'with a model')).toMatchObject({
      model: 'opus',
      effort: 'medium',
    });
    expect(taken.find((line) => line.prompt === 'without')).toMatchObject({
      model: 'standin-1',
      effort: null,
    });
  });

  test('continues the pinned conversation by default, and another on request', async () => {
    const session = async (chat_session?: object) => {
      const { headers } = await send({ prompt: 'which conversation', chat_session });
      return (await served.ended(turnOf(headers))).provider_session_id;
    };
    const pinned = await session();
    expect(await session({ mode: 'current' })).toBe(pinned);
    expect(await session({ mode: 'auto' })).toBe(pinned);
    const fresh = await session({ mode: 'new' });
    expect(fresh).not.toBe(pinned);
    expect(await session({ mode: 'exact', id: pinned })).toBe(pinned);
  });

  test.each([
    ['no prompt', {}, 'missing', ['body', 'prompt']],
    ['a blank prompt', { prompt: ' ' }, 'value_error', ['body', 'prompt']],
    ['force as text', { prompt: 'x', force: 'true' }, 'bool_type', ['body', 'force']],
    ['force as a number', { prompt: 'x', force: 1 }, 'bool_type', ['body', 'force']],
    [
      'a turn_id, which only the queue has',
      { prompt: 'x', turn_id: 'mine' },
      'extra_forbidden',
      ['body', 'turn_id'],
    ],
    [
      'an admission_policy of a later contract',
      { prompt: 'x', admission_policy: 'force' },
      'extra_forbidden',
      ['body', 'admission_policy'],
    ],
    ['schema_version 2', { prompt: 'x', schema_version: 2 }, 'literal_error', ['body', 'schema_version']],
    [
      'exact without id',
      { prompt: 'x', chat_session: { mode: 'exact' } },
      'value_error',
      ['body', 'chat_session'],
    ],
  ])('with %s is 422', async (_title, body, type, loc) => {
    const answer = await send(body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject([{ type, loc }]);
  });
});

describe('force', () => {
  test('during a turn ends the old one as replaced, before the new one starts', async () => {
    const old = turnOf((await send({ prompt: '[[slow=60000]] old' })).headers);
    const { status, body, headers } = await send({ prompt: 'new', force: true });
    expect([status, body.forced]).toEqual([200, true]);
    expect((await served.ask('GET', `/v1/turns/${old}`)).body).toMatchObject({
      state: 'ended',
      outcome: 'replaced',
      error: { code: 'replaced' },
    });
    expect(await served.ended(turnOf(headers))).toMatchObject({ outcome: 'completed' });
    const order = readEvents(served.session.paths)
      .filter(
        (event) => [old, turnOf(headers)].includes(event.turn_id) && event.kind.startsWith('control_prompt_'),
      )
      .map((event) => [event.kind, event.turn_id, event.outcome]);
    expect(order).toEqual([
      ['control_prompt_submitted', old, undefined],
      ['control_prompt_failed', old, 'replaced'],
      ['control_prompt_submitted', turnOf(headers), undefined],
      ['control_prompt_completed', turnOf(headers), undefined],
    ]);
  });

  test('during a queued prompt replaces it and leaves the queue to go on', async () => {
    const running = (await served.prompt('[[slow=60000]] queued')).body.request_id;
    const waiting = (await served.prompt('its successor')).body.request_id;
    await expect
      .poll(async () => (await served.ask('GET', `/v1/requests/${running}`)).body.state)
      .toBe('running');
    const { headers } = await send({ prompt: 'first of all', force: true });
    expect(await served.final(running)).toMatchObject({
      state: 'failed',
      error: { code: 'replaced' },
      turn: { outcome: 'replaced' },
    });
    expect((await served.final(waiting)).state).toBe('completed');
    expect((await served.ended(turnOf(headers))).outcome).toBe('completed');
    const prompts = readLedger(served.session.ledger).map((line) => line.prompt);
    expect(prompts.indexOf('first of all')).toBeLessThan(prompts.indexOf('its successor'));
  });

  test('of an agent that ignores SIGINT and SIGTERM takes its life', async () => {
    const old = turnOf((await send({ prompt: '[[ignore-signals]] [[slow=60000]] stubborn' })).headers);
    await expect
      .poll(() => readLedger(served.session.ledger).some((line) => line.turn_id === old))
      .toBe(true);
    const { status, headers } = await send({ prompt: 'after it', force: true });
    expect(status).toBe(200);
    expect(await served.ended(old)).toMatchObject({ outcome: 'replaced', signal: 'SIGKILL' });
    expect((await served.ended(turnOf(headers))).outcome).toBe('completed');
  });
});
