// Clients of the SDK that were given the address of the other surface.
import { createGatewayClient } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { behindServer } from './support/behind-server.js';

const behind = behindServer();
const rejection = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

test('a gateway client hears that a managed-agent server answers, and what to use instead', async () => {
  const { url } = behind.server;
  const client = createGatewayClient({ baseUrl: url });
  const named = {
    errorCode: 'foreign_server',
    detail: expect.stringContaining(
      `${url} is not a gateway: it is a managed-agent server (houmao-server): call it by createHoumaoClient.`,
    ),
  };
  expect(await rejection(client.getHealth())).toMatchObject({ ...named, status: 200 });
  expect(await rejection(client.getStatus())).toMatchObject({ ...named, status: 404 });
  expect(await rejection(client.prompt('Hello'))).toMatchObject({ ...named, idempotencyKey: null });
  expect(await rejection(client.events().next())).toMatchObject(named);
});

test('a client of the server hears that a gateway answers', async () => {
  const url = behind.gateway?.url ?? '';
  const client = createHoumaoClient({ baseUrl: url });
  const named = {
    errorCode: 'foreign_server',
    detail: expect.stringMatching(`${url} is not .*: it is the gateway of .* createGatewayClient\\.`),
  };
  expect(await rejection(client.getHealth())).toMatchObject(named);
  expect(await rejection(client.listAgents())).toMatchObject(named);
  expect(await rejection(client.agent('alpha').prompt('Hello'))).toMatchObject(named);
});

test('the right ones are not disturbed', async () => {
  expect(await createGatewayClient({ baseUrl: behind.gateway?.url ?? '' }).getHealth()).toMatchObject({
    status: 'ok',
  });
  expect((await createHoumaoClient({ baseUrl: behind.server.url }).listAgents()).agents).toHaveLength(1);
});
