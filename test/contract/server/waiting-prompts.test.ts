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
    const reported = await behind.agent('POST', path, body);
    expect(reported.status).toBe(200);
    if (path === '/requests')
      expect(reported.body).toMatchObject({ disposition: 'no_op', headless_turn_id: null });
    else expect(reported.body.turn_id).toBeNull();
  }
  await behind.agent('PUT', '/gateway/control/queue', { paused: false });
  const done = await behind.agent('GET', `/gateway/requests/${queued.request_id}?wait_seconds=30`);
  expect(done.body).toMatchObject({ state: 'completed', turn: { turn_id: 'turn-that-waits' } });
});

test('a prompt that waits in a paused queue is no running turn; taken back, its turn says what became of it', async () => {
  await behind.agent('PUT', '/gateway/control/queue', { paused: true });
  const asked = { request_kind: 'submit_prompt', prompt: 'waits' };
  const taken = await behind.agent('POST', '/requests', asked);
  const [turnId, requestId] = ['X-Houmao-Turn-Id', 'X-Houmao-Request-Id'].map((name) =>
    taken.headers.get(name),
  );
  expect(taken.body).toMatchObject({ success: true, headless_turn_id: turnId });
  // Nothing runs, so the next one is no conflict: it waits, too.
  const { body: state } = await behind.agent('GET', '/state');
  expect(state.turn).toEqual({ phase: 'ready', active_turn_id: null });
  const next = await behind.agent('POST', '/requests', asked);
  expect(next.status).toBe(200);
  const third = await behind.agent('POST', '/turns', { prompt: 'waits', chat_session: { mode: 'auto' } });
  const [, itsRequest = ''] = / has its prompt as request `?(gwreq-[^`.]+)/.exec(third.body.detail) ?? [];
  expect(third.body.detail).toBe(
    `Turn ${third.body.turn_id} was accepted; the gateway of the agent has its prompt as request ${itsRequest}.`,
  );

  const turn = () => behind.agent('GET', `/turns/${turnId}/record`);
  expect(await turn()).toMatchObject({
    status: 404,
    body: { detail: `Turn \`${turnId}\` has not begun: its prompt waits as request \`${requestId}\`.` },
  });
  expect((await turn()).headers.get('X-Houmao-Request-Id')).toBe(requestId);
  for (const id of [requestId, next.headers.get('X-Houmao-Request-Id'), itsRequest])
    expect((await behind.agent('DELETE', `/gateway/requests/${id}`)).body).toMatchObject({
      state: 'cancelled',
    });
  expect(await turn()).toMatchObject({
    status: 404,
    body: { detail: `Turn \`${turnId}\` never began: its request \`${requestId}\` is cancelled.` },
  });
  expect((await turn()).headers.get('X-Houmao-Request-Id')).toBe(requestId);
  const { tracked_agent_id, agent_name } = (await behind.agent('GET', '')).body;
  expect(tracked_agent_id).not.toBe(agent_name);
  expect((await behind.agent('GET', '/turns/turn-of-nobody/record')).body.detail).toBe(
    `No turn \`turn-of-nobody\` of agent \`${agent_name.replace('HOUMAO-', '')}\`.`,
  );
  await behind.agent('PUT', '/gateway/control/queue', { paused: false });
});
