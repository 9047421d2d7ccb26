import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { editManifest } from './support/edit-manifest.js';
import { serve } from './support/served.js';

const served = serve();

describe('an agent whose turns have a time limit', () => {
  const limited = serve(({ paths }) =>
    editManifest(paths, (manifest) => {
      // Long enough for the short one on a machine that is busy with other things.
      manifest.backend_state.turn_time_limit_seconds = 4;
    }),
  );

  test('ends one that runs longer, fails it by name, and goes on', async () => {
    const long = (await limited.prompt('[[slow=600000]] too long')).body.request_id;
    const next = (await limited.prompt('short')).body.request_id;
    expect(await limited.final(long)).toMatchObject({
      state: 'failed',
      error: { code: 'turn_time_limit' },
      turn: { outcome: 'failed', error: { code: 'turn_time_limit' } },
    });
    expect((await limited.final(next)).state).toBe('completed');
  });
});

describe('GET /v1/turns/{turn_id}', () => {
  test('shows a queued prompt, with evidence, answer and artifacts', async () => {
    const { body } = await served.prompt('tell me', { turn_id: 'shown' });
    await served.final(body.request_id);
    const { status, body: turn } = await served.ask('GET', '/v1/turns/shown');
    expect(status).toBe(200);
    expect(turn).toEqual({
      turn_id: 'shown',
      turn_index: expect.any(Number),
      origin: 'queue',
      request_id: body.request_id,
      tool: 'claude',
      state: 'ended',
      started_at_utc: expect.any(String),
      ended_at_utc: expect.any(String),
      delivery: {
        state: 'confirmed',
        at_utc: expect.any(String),
        evidence: expect.stringContaining('session'),
      },
      outcome: 'completed',
      provider_session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      model: null,
      exit_code: 0,
      signal: null,
      error: null,
      answer: { text: expect.stringContaining('tell me'), truncated: false },
      usage: {
        model: 'standin-1',
        scope: 'turn',
        amounts: expect.objectContaining({ input_tokens: expect.any(Number) }),
      },
      artifacts: expect.arrayContaining([expect.stringContaining('shown/')]),
    });
    for (const artifact of turn.artifacts)
      expect(existsSync(join(served.session.paths.root, artifact))).toBe(true);
  });

  test('shows a direct prompt, which has no request', async () => {
    const { headers } = await served.ask('POST', '/v1/control/prompt', { prompt: 'directly' });
    const turn = await served.ended(headers.get('x-houmao-turn-id') ?? '');
    expect(turn).toMatchObject({ origin: 'direct', request_id: null, state: 'ended', outcome: 'completed' });
  });

  test('waits for the end, at most as long as asked', async () => {
    const { headers } = await served.ask('POST', '/v1/control/prompt', { prompt: '[[slow=60000]] long' });
    const path = headers.get('location') ?? '';
    const { body: running } = await served.ask('GET', `${path}?wait_seconds=0.2`);
    expect(running).toMatchObject({ state: 'running', outcome: null, ended_at_utc: null, exit_code: null });
    const waiting = served.ask('GET', `${path}?wait_seconds=60`);
    await served.interrupt();
    expect((await waiting).body).toMatchObject({
      state: 'ended',
      outcome: 'interrupted',
      error: { code: 'interrupted' },
    });
  });

  test.each([
    ['[[exit=3]] x', 'agent_failed'],
    ['[[crash]] x', 'agent_crashed'],
    ['[[no-result]] x', 'no_result'],
    ['[[fail=401]] x', 'api_error'],
  ])('of %s failed with %s', async (prompt, code) => {
    const { body } = await served.prompt(prompt);
    const record = await served.final(body.request_id);
    expect(record).toMatchObject({
      state: 'failed',
      error: { code },
      turn: { outcome: 'failed', error: { code } },
    });
  });

  test('cuts a long answer at 1 MiB and says so', async () => {
    const { body } = await served.prompt('[[words=250000]] long');
    const { turn } = await served.final(body.request_id);
    expect(turn.answer.truncated).toBe(true);
    expect(Buffer.byteLength(turn.answer.text)).toBeLessThanOrEqual(1024 * 1024);
    expect(Buffer.byteLength(turn.answer.text)).toBeGreaterThan(1024 * 1024 - 8);
  });

  test.each(['turn-unknown', '..%2Fmanifest.json', '%F0%9F%99%82'])('%s is 404', async (id) => {
    expect((await served.ask('GET', `/v1/turns/${id}`)).status).toBe(404);
  });

  test('with an unknown parameter is 422', async () => {
    const { status, body } = await served.ask('GET', '/v1/turns/shown?verbose=1');
    expect([status, body.detail[0].type]).toEqual([422, 'extra_forbidden']);
  });
});
