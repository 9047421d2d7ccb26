import { describe, expect, test } from 'vitest';
import { behindServer } from '../support/behind-server.js';

const hello = { prompt: 'hello' };

describe('direct control of a headless agent, through the server', () => {
  const behind = behindServer();
  const idle = () =>
    expect
      .poll(async () => (await behind.agent('GET', '/gateway')).body)
      .toMatchObject({ active_execution: 'idle', queue_depth: 0 });

  test('a prompt that is sent now names its turn, and where to follow it', async () => {
    await idle();
    const sent = await behind.agent('POST', '/gateway/control/prompt', hello);
    expect(sent.body).toEqual({
      status: 'ok',
      action: 'submit_prompt',
      sent: true,
      forced: false,
      detail: 'Prompt dispatched.',
    });
    const turnId = sent.headers.get('x-houmao-turn-id');
    const location = `/houmao/agents/${behind.name}/gateway/turns/${turnId}`;
    expect(sent.headers.get('location')).toBe(location);
    const turn = await behind.ask('GET', `${location}?wait_seconds=30`);
    expect(turn.body).toMatchObject({ turn_id: turnId, origin: 'direct', outcome: 'completed' });
  });

  test('a prompt and a reminder that come again with their key are sent and added once', async () => {
    await idle();
    const later = { mode: 'one_off', title: 'T', prompt: 'P', ranking: 0, start_after_seconds: 86_400 };
    for (const [path, body] of [
      ['/gateway/control/prompt', hello],
      ['/gateway/reminders', { reminders: [later] }],
    ] as const) {
      const call = () => behind.agent('POST', path, body, { 'Idempotency-Key': `once${path}` });
      const [first, again] = [await call(), await call()];
      expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
      for (const [name, values] of [
        ['idempotency-replayed', [null, 'true']],
        ['location', [first.headers.get('location'), first.headers.get('location')]],
      ] as const)
        expect([first, again].map(({ headers }) => headers.get(name))).toEqual(values);
    }
  });

  test('a refused prompt keeps its status, its object and its error code', async () => {
    await idle();
    const { headers } = await behind.agent('POST', '/gateway/control/prompt', {
      prompt: '[[slow=60000]] hello',
    });
    const busy = await behind.agent('POST', '/gateway/control/prompt', hello);
    expect(busy).toMatchObject({
      status: 409,
      body: { detail: { status: 'error', sent: false, error_code: 'not_ready' } },
    });
    const forced = await behind.agent('POST', '/gateway/control/prompt', { ...hello, force: true });
    expect(forced).toMatchObject({ status: 200, body: { forced: true } });
    const replaced = await behind.agent('GET', `/gateway/turns/${headers.get('x-houmao-turn-id')}`);
    expect(replaced.body.outcome).toBe('replaced');
    await idle();
    const level = { model: { reasoning: { level: 0 } } };
    const refused = await behind.agent('POST', '/gateway/control/prompt', { ...hello, execution: level });
    expect(refused).toMatchObject({ status: 422, body: { detail: { error_code: 'invalid_execution' } } });
    const broken = await behind.agent('POST', '/gateway/control/prompt', { prompt: ' ' });
    expect(broken).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'prompt'] }] } });
  });

  test('what a headless agent cannot do is a 422 with the gateway’s words', async () => {
    const keys = await behind.agent('POST', '/gateway/control/send-keys', { sequence: 'x' });
    expect(keys.status).toBe(422);
    expect(keys.body.detail).toMatch(/^The agent runs headless/);
    for (const [method, path, body] of [
      ['GET', '/tui/state'],
      ['GET', '/tui/history'],
      ['POST', '/tui/note-prompt', hello],
    ] as const) {
      const mine = await behind.agent(method, `/gateway${path}`, body);
      const its = await behind.direct(method, `/v1/control${path}`, body);
      expect(mine).toMatchObject({ status: 422, body: its.body });
    }
  });

  test('its control state, and the next prompt’s conversation', async () => {
    await idle();
    const state = await behind.agent('GET', '/gateway/control/headless/state');
    expect(state.body).toEqual((await behind.direct('GET', '/v1/control/headless/state')).body);
    const next = await behind.agent('POST', '/gateway/control/headless/next-prompt-session', { mode: 'new' });
    expect(next.body.chat_session.next_prompt_override).toEqual({ mode: 'new' });
  });

  test('the queue is paused and resumed, and there is nothing to reconcile', async () => {
    const paused = await behind.agent('PUT', '/gateway/control/queue', { paused: true });
    expect(paused.body.paused).toBe(true);
    expect((await behind.agent('GET', '/gateway/control/queue')).body.paused).toBe(true);
    await behind.agent('PUT', '/gateway/control/queue', { paused: false });
    const reconciled = await behind.agent('POST', '/gateway/control/reconcile', { action: 'adopt' });
    expect(reconciled.body).toMatchObject({ status: 'ok', action: 'reconcile', adopted: 0, discarded: 0 });
  });

  test('its status is the gateway’s own', async () => {
    await idle();
    const mine = await behind.agent('GET', '/gateway');
    expect(mine).toMatchObject({ status: 200, body: (await behind.direct('GET', '/v1/status')).body });
    expect(mine.body).toMatchObject({ gateway_health: 'healthy', gateway_port: behind.gateway?.port });
  });
});

describe('reminders and the notifier, through the server', () => {
  const behind = behindServer();
  const later = { mode: 'one_off', title: 'later', prompt: 'hello', ranking: 0, start_after_seconds: 3600 };

  test('a reminder is made, read, replaced, listed and deleted', async () => {
    const made = await behind.agent('POST', '/gateway/reminders', { reminders: [later] });
    expect(made.status).toBe(200);
    const path = `/gateway/reminders/${made.body.reminders[0].reminder_id}`;
    expect((await behind.agent('GET', path)).body).toMatchObject({ title: 'later' });
    const replaced = await behind.agent('PUT', path, { ...later, title: 'much later' });
    expect(replaced.body).toMatchObject({ title: 'much later' });
    expect((await behind.agent('GET', '/gateway/reminders')).body.reminders).toHaveLength(1);
    expect((await behind.agent('DELETE', path)).body).toMatchObject({ deleted: true });
    for (const method of ['GET', 'DELETE']) expect((await behind.agent(method, path)).status).toBe(404);
    expect((await behind.agent('PUT', path, later)).status).toBe(404);
  });

  test('keys for a headless agent are refused, and so is a broken definition', async () => {
    const { prompt: _, ...rest } = later;
    const keys = { ...rest, send_keys: { sequence: 'x' } };
    const refused = await behind.agent('POST', '/gateway/reminders', { reminders: [keys] });
    expect([refused.status, typeof refused.body.detail]).toEqual([422, 'string']);
    const both = await behind.agent('POST', '/gateway/reminders', {
      reminders: [{ ...later, mode: 'repeat' }],
    });
    expect(both).toMatchObject({ status: 422, body: { detail: [{ type: 'value_error' }] } });
  });

  test('a notifier for an agent without a mailbox is unsupported', async () => {
    const read = await behind.agent('GET', '/gateway/mail-notifier');
    expect(read).toMatchObject({ status: 200, body: { enabled: false, supported: false } });
    const put = await behind.agent('PUT', '/gateway/mail-notifier', { interval_seconds: 60 });
    expect([put.status, typeof put.body.detail]).toEqual([422, 'string']);
    expect((await behind.agent('DELETE', '/gateway/mail-notifier')).status).toBe(200);
  });
});
