import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEvents, readLedger } from './support/events.js';
import { serve } from './support/served.js';

const served = serve();

describe('a submission', () => {
  test('is 202 with its closed, compatible body, and runs', async () => {
    const answer = await served.prompt('say hello');
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      request_id: expect.stringMatching(/^gwreq-\d{8}-\d{6}Z-[0-9a-f]{8}$/),
      request_kind: 'submit_prompt',
      state: 'accepted',
      accepted_at_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      queue_depth: 1,
      managed_agent_instance_epoch: 1,
    });
    expect(answer.headers.get('location')).toBe(`/v1/requests/${answer.body.request_id}`);
    const record = await served.final(answer.body.request_id);
    expect(record).toMatchObject({
      state: 'completed',
      error: null,
      turn: { outcome: 'completed', origin: 'queue' },
    });
    expect(record.turn.answer.text).toContain('say hello');
    const kinds = readEvents(served.session.paths).map(({ kind }) => kind);
    expect(kinds.indexOf('accepted')).toBeLessThan(kinds.indexOf('completed'));
  });

  test('keeps the prompt verbatim, whatever is in it', async () => {
    const prompt = '  --version\n"quoted" $HOME `x` \\ \t日本語 🙂 \u2028 ';
    const { body } = await served.prompt(prompt);
    await served.final(body.request_id);
    expect(readLedger(served.session.ledger).map((line) => line.prompt)).toContain(prompt);
  });

  test('takes every chat_session mode, a model and a turn_id', async () => {
    const turnId = 'turn-of.my_own-1';
    const execution = { model: { name: ' sonnet ', reasoning: { level: 1 } } };
    const { body } = await served.prompt('with everything', {
      turn_id: turnId,
      chat_session: { mode: 'new', id: null },
      execution,
    });
    const record = await served.final(body.request_id);
    expect(record).toMatchObject({ state: 'completed', turn: { turn_id: turnId, model: 'sonnet' } });
    const session = record.turn.provider_session_id;
    for (const chat_session of [
      { mode: 'auto' },
      { mode: 'current' },
      { mode: 'tool_last_or_new' },
      { mode: 'exact', id: session },
      null,
    ]) {
      const next = await served.prompt('once more', { chat_session, execution: null, turn_id: null });
      expect(next.status).toBe(202);
      expect((await served.final(next.body.request_id)).turn.provider_session_id).toBe(session);
    }
  });

  test('of an interrupt with nothing to stop completes as no_op', async () => {
    const { status, body } = await served.interrupt();
    expect([status, body.request_kind]).toEqual([202, 'interrupt']);
    expect(await served.final(body.request_id)).toMatchObject({
      state: 'completed',
      turn: null,
      result: { outcome: 'no_op', turn_id: null, signal: null },
    });
  });
});

describe('a submission that this agent cannot take', () => {
  test('at level 0 is 422 in a sentence', async () => {
    const { status, body } = await served.prompt('x', { execution: { model: { reasoning: { level: 0 } } } });
    expect(status).toBe(422);
    expect(body.detail).toMatch(/^payload\.execution: .*off/);
  });

  test('under a turn_id that waits, has run or left artifacts is 422; an empty folder is free', async () => {
    const waiting = await served.prompt('[[slow=60000]] first', { turn_id: 'taken-by-waiting' });
    const twin = await served.prompt('second', { turn_id: 'taken-by-waiting' });
    expect([twin.status, twin.body.detail]).toEqual([
      422,
      expect.stringContaining('`taken-by-waiting` is taken'),
    ]);
    await served.statusWhen(({ active_execution }) => active_execution === 'running');
    await served.interrupt();
    await served.final(waiting.body.request_id);
    expect((await served.prompt('third', { turn_id: 'taken-by-waiting' })).status).toBe(422);

    const folder = join(served.session.paths.turnArtifacts, 'left-behind');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'exitcode'), '0');
    expect((await served.prompt('x', { turn_id: 'left-behind' })).status).toBe(422);
    mkdirSync(join(served.session.paths.turnArtifacts, 'empty'));
    const free = await served.prompt('x', { turn_id: 'empty' });
    expect(free.status).toBe(202);
    expect((await served.final(free.body.request_id)).state).toBe('completed');
  });
});

describe('an Idempotency-Key', () => {
  const send = (key: string, text: string) =>
    served.ask(
      'POST',
      '/v1/requests',
      { kind: 'submit_prompt', payload: { prompt: text } },
      { 'idempotency-key': key },
    );

  test('with an equal body replays the stored answer and queues nothing', async () => {
    const first = await send('key-1', 'only once');
    const replay = await served.ask(
      'POST',
      '/v1/requests',
      // Equal after validation: other order, defaults spelled out.
      { payload: { prompt: 'only once' }, schema_version: 1, kind: 'submit_prompt' },
      { 'idempotency-key': 'key-1' },
    );
    expect([first.headers.get('idempotency-replayed'), replay.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(replay.status).toBe(202);
    expect(replay.body).toEqual(first.body);
    await served.final(first.body.request_id);
    expect((await send('key-1', 'only once')).body).toEqual(first.body);
    expect(readLedger(served.session.ledger).filter((line) => line.prompt === 'only once')).toHaveLength(1);
  });

  test('with another body is 422', async () => {
    const first = await send('key-2', 'one');
    const other = await send('key-2', 'two');
    expect([other.status, other.body.detail]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
    expect(other.headers.get('x-houmao-error-code')).toBe('key_reused');
    await served.final(first.body.request_id);
  });

  test('that two send at once makes one request', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('key-3', 'raced')));
    expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    await served.final(answers[0]!.body.request_id);
  });

  test.each([
    ['a blank', 'two words'],
    ['256 characters', 'k'.repeat(256)],
    ['another alphabet', 'clé'],
  ])('with %s is 422 at the header', async (_title, key) => {
    const { status, body } = await send(key, 'x');
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['header', expect.stringMatching(/^idempotency-key$/i)]);
  });

  test('of 255 visible characters is taken', async () => {
    const { status, body } = await send(`${'!~'.repeat(127)}a`, 'x');
    expect(status).toBe(202);
    await served.final(body.request_id);
  });
});
