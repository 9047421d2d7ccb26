import { createGatewayClient } from '@houmao/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InProcessGateway, openGateway } from '../support/in-process-gateway.js';
import { createToyClient } from '../support/toy-client.js';
import { serveToys } from '../support/toy-surface.js';
import { readEvents } from './support/events.js';
import { raw, request } from './support/raw-http.js';

/** Everything runs in this process, and agents beside it. */
const patience = 60_000;

let gateways: InProcessGateway[];
let toys: Awaited<ReturnType<typeof serveToys>>;
beforeAll(async () => {
  gateways = [await openGateway(), await openGateway()];
  toys = await serveToys();
});
afterAll(async () => {
  for (const { surface, gateway, session } of gateways) {
    await surface.stop(() => gateway.quiesce());
    await gateway.close();
    session.remove();
  }
  await toys.stop(async () => undefined);
});

test('two sessions and a second surface in one process keep apart under load, each with its own client', async () => {
  const rounds = 20;
  const accepted = await Promise.all(
    gateways.map(async ({ url }, which) => {
      const client = createGatewayClient({ baseUrl: url, timeoutMs: patience });
      const ids: string[] = [];
      const work = async (caller: number): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          const prompt = `session ${which} caller ${caller} round ${round}`;
          const { request_id } = await client.submitRequest({
            body: { kind: 'submit_prompt', payload: { prompt } },
          });
          ids.push(request_id);
          expect(await client.getHealth()).toEqual({ protocol_version: 'v1', status: 'ok' });
          // A body of the other surface breaks this one's contract.
          await expect(client.submitRequest({ body: { name: 'bear' } as never })).rejects.toMatchObject({
            status: 422,
            operationId: 'submitRequest',
          });
        }
      };
      const shop = createToyClient(toys.url, patience);
      const play = async (): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          expect(await shop.toyHealth()).toEqual({ toys: 3 });
          const { operation, body } = await shop.makeToy({ body: { name: `bear ${round}` } });
          expect([operation, body]).toMatchObject(['makeToy', { name: `bear ${round}` }]);
          await expect(
            shop.makeToy({ body: { kind: 'submit_prompt', payload: { prompt: 'x' } } as never }),
          ).rejects.toMatchObject({ name: 'ToyError', status: 422 });
        }
      };
      await Promise.all([...[0, 1, 2, 3].map(work), ...[0, 1, 2, 3].map(play)]);
      return ids;
    }),
  );
  for (const [index, { session }] of gateways.entries()) {
    const events = readEvents(session.paths).filter(({ kind }) => kind === 'accepted');
    expect(events.map((event) => event.request_id).sort()).toEqual(accepted[index]?.sort());
    expect(events).toHaveLength(4 * rounds);
  }
  expect([toys, ...gateways].flatMap(({ faults }) => faults)).toEqual([]);
});

test('each surface speaks of itself', async () => {
  const seen = async (port: number) => {
    const ask = async (line: string, headers = {}) => {
      const { status, json, headers: sent } = await raw(port, request(line, headers));
      return [status, json?.detail, sent.get('www-authenticate'), sent.get('access-control-expose-headers')];
    };
    return {
      host: await ask('GET /health', { Host: 'evil.example' }),
      origin: await ask('GET /health', { Origin: 'http://evil.example' }),
      token: await ask('GET /health', { Authorization: 'Bearer x' }),
      path: await ask('GET /toys'),
    };
  };
  const words = (noun: string, program: string, flags: [host: string, origin: string]) => ({
    host: [
      421,
      expect.stringMatching(`^Host evil.example .*; start the ${noun} with ${flags[0]} `),
      undefined,
      undefined,
    ],
    origin: [
      403,
      expect.stringMatching(`^Origin http://evil.example .*; start the ${noun} with ${flags[1]} `),
      undefined,
      undefined,
    ],
    token: [401, expect.stringMatching(` of this ${noun} `), `Bearer realm="${program}"`, undefined],
  });
  for (const { surface } of gateways)
    expect(await seen(surface.port)).toEqual({
      ...words('gateway', 'houmao-gateway', ['--allowed-host', '--allowed-origin']),
      path: [404, 'Not Found', undefined, undefined],
    });
  expect(await seen(toys.port)).toEqual({
    ...words('shop', 'toy-shop', ['--also-host', '--also-origin']),
    path: [200, undefined, undefined, undefined],
  });
});

test('each surface serves its own document and its own token', async () => {
  const titles = await Promise.all(
    [...gateways, toys].map(async ({ url }) => {
      const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { title: string } };
      const page = await (await fetch(`${url}/docs/`)).text();
      return [info.title, /<title>(.*)<\/title>/.exec(page)?.[1]];
    }),
  );
  expect(titles[2]).toEqual(['Toys', 'Toy shop']);
  expect(titles[0]).toEqual([expect.stringContaining('Houmao'), 'Houmao agent gateway']);
  expect(titles[1]).toEqual(titles[0]);
  const status = async (url: string, token: string) =>
    (await fetch(`${url}/health`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status(toys.url, 'toy-token')).toBe(200);
  expect(await status(toys.url, 'gateway-token')).toBe(401);
  expect(await status(gateways[0]?.url ?? '', 'gateway-token')).toBe(200);
  expect(await status(gateways[0]?.url ?? '', 'toy-token')).toBe(401);
});
