import { createGatewayClient } from '@houmao/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linesOf } from '../../e2e/recovery/evidence.js';
import { type InProcessGateway, openGateway } from '../../support/in-process-gateway.js';

let one: InProcessGateway;
beforeEach(async () => {
  one = await openGateway();
});
afterEach(() => one.session.remove());

test('a stop that cannot end its turns well tells it, and goes on: who waits is answered, the port is free', async () => {
  const { gateway, surface, session, url } = one;
  const client = createGatewayClient({ baseUrl: url, timeoutMs: 20_000 });
  await client.updateQueue({ body: { paused: true } });
  const { request_id } = await client.submitRequest({
    body: { kind: 'submit_prompt', payload: { prompt: 'waits' } },
  });
  const waited = client.getRequest({ path: { request_id }, query: { wait_seconds: 60 } });
  await client.getHealth();
  const stop = gateway.turns.stopForShutdown.bind(gateway.turns);
  gateway.turns.stopForShutdown = async () => {
    await stop();
    throw new Error('a group that cannot be ended');
  };
  await surface.stop(() => gateway.quiesce());
  expect(await waited).toMatchObject({ request_id, state: 'accepted' });
  await gateway.close();
  expect(linesOf(session.paths.log)).toContainEqual(
    expect.stringContaining('the stop hit an internal error: a group that cannot be ended'),
  );
  await expect(client.getHealth()).rejects.toThrow('No answer');
});
