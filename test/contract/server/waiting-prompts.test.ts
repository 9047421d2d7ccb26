import { expect, test } from 'vitest';
import { behindServer } from '../support/behind-server.js';

const behind = behindServer();

test('an interrupt reaches no prompt that waits in the queue of a gateway, and does not say that it does', async () => {
  await behind.agent('PUT', '/gateway/control/queue', { paused: true });
  const payload = { prompt: 'later', turn_id: 'turn-that-waits' };
  const { body: queued } = await behind.agent('POST', '/gateway/requests', {
    kind: 'submit_prompt',
    payload,
  });
  for (const path of ['/requests', '/interrupt']) {
    const body = path === '/requests' ? { request_kind: 'interrupt' } : undefined;
    const told = await behind.agent('POST', path, body);
    expect([told.status, told.body.detail]).toEqual([200, 'There is nothing to interrupt.']);
    if (path === '/requests')
      expect(told.body).toMatchObject({ disposition: 'no_op', headless_turn_id: null });
    else expect(told.body.turn_id).toBeNull();
  }
  await behind.agent('PUT', '/gateway/control/queue', { paused: false });
  const done = await behind.agent('GET', `/gateway/requests/${queued.request_id}?wait_seconds=30`);
  expect(done.body).toMatchObject({ state: 'completed', turn: { turn_id: 'turn-that-waits' } });
});
