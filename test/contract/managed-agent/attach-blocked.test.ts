import { expect, test } from 'vitest';
import { behindServer } from '../support/behind-server.js';
import { replaceInstance } from '../support/edit-manifest.js';

const behind = behindServer();

test('a gateway whose agent was replaced is attached, and says 409 until what waits is settled', async () => {
  const attach = () => behind.agent('POST', '/gateway/attach');
  expect(await attach()).toMatchObject({ status: 200, body: { gateway_port: behind.gateway?.port } });
  await behind.agent('PUT', '/gateway/control/queue', { paused: true });
  const prompt = { kind: 'submit_prompt', payload: { prompt: 'for its predecessor' } };
  expect((await behind.agent('POST', '/gateway/requests', prompt)).status).toBe(200);
  replaceInstance(behind.session.paths);
  await expect
    .poll(async () => (await behind.agent('GET', '/gateway')).body.request_admission)
    .toBe('blocked_reconciliation');
  expect(await attach()).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/is attached and blocked: the agent was replaced/) },
  });
  await behind.agent('POST', '/gateway/control/reconcile', { action: 'discard' });
  expect((await attach()).status).toBe(200);
});
