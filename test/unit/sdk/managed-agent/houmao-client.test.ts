import { readFileSync } from 'node:fs';
import { createHoumaoClient, type OperationId } from '@houmao/sdk/managed-agent';
import { expect, test } from 'vitest';
import { gatewayOperations } from '../../../../sdk/src/managed-agent/gateway-operations.js';
import { answerJson, serve } from '../local-server.js';

interface Document {
  paths: Record<string, Record<string, { operationId: OperationId }>>;
}
const { paths } = JSON.parse(
  readFileSync(new URL('../../../../generated/managed-agent/openapi.json', import.meta.url), 'utf8'),
) as Document;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => ['get', 'put', 'post', 'delete'].includes(method))
    .map(([method, { operationId }]) => ({ id: operationId, path, method: method.toUpperCase() })),
);
const filled = (path: string): string =>
  path.replace('{agent_ref}', 'a%2Fb').replace(/\{(\w+)\}/g, (_whole, name) => `${name}-1`);
const ids = { turn_id: 'turn_id-1', request_id: 'request_id-1', reminder_id: 'reminder_id-1' };
const needed = (path: string): object =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => path.includes(`{${name}}`)));

async function echo() {
  const server = await serve(({ url }, res) => {
    if (/artifacts/.test(url)) {
      res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Request-Id': 'http-1' });
      res.end('a\nb\n');
    } else answerJson(res, 200, { reported: true });
  });
  return { server, client: createHoumaoClient({ baseUrl: server.url }) };
}
type AnyMethod = (options: object) => Promise<unknown>;

test('every operation of an agent is a method of it, with its name filled in', async () => {
  const { server, client } = await echo();
  const agent = client.agent('a/b');
  const mine = operations.filter(({ path }) => /^\/houmao\/agents\/\{agent_ref\}(?!\/gateway)/.test(path));
  expect(mine.length).toBeGreaterThan(25);
  for (const { id, path, method } of mine) {
    await (agent as unknown as Record<string, AnyMethod>)[id]!({ path: needed(path) });
    expect(server.received.at(-1)).toMatchObject({ method, url: filled(path) });
  }
});

test('every operation of its gateway is a method of that, those for gateways themselves aside', async () => {
  const { server, client } = await echo();
  const { gateway } = client.agent('a/b');
  const operationsOfIt = gatewayOperations().map(([name]) => name);
  const asked: string[] = [];
  for (const name of operationsOfIt) {
    const method = (gateway as unknown as Record<string, AnyMethod>)[name]!;
    for (const each of operations) {
      const path = needed(each.path);
      const before = server.received.length;
      await method({ path }).catch(() => undefined);
      const seen = server.received.slice(before).at(-1);
      if (seen?.method === each.method && seen.url === filled(each.path)) asked.push(`${name} ${each.id}`);
    }
  }
  const below = operations.filter(({ path }) => /\{agent_ref\}\/gateway(?!\/internal)/.test(path));
  expect(asked.map((each) => each.split(' ')[1]).sort()).toEqual(below.map(({ id }) => id).sort());
  expect(asked).toContain('submitRequest submitGatewayRequest');
});

test('every operation is a method of the client', () => {
  const client = createHoumaoClient({ baseUrl: 'http://127.0.0.1:1' });
  expect(operations.filter(({ id }) => typeof client[id] !== 'function')).toEqual([]);
});

test('a text is a string, also an empty one', async () => {
  const { client } = await echo();
  expect(await client.agent('alpha').getTurnStdout({ path: { turn_id: 't' } })).toBe('a\nb\n');
  const empty = await serve((_received, res) => {
    res.writeHead(200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': '0',
      'X-Request-Id': 'http-1',
    });
    res.end();
  });
  const other = createHoumaoClient({ baseUrl: empty.url });
  expect(await other.agent('alpha').getTurnStderr({ path: { turn_id: 't' } })).toBe('');
});

test('a refused text is the refusal', async () => {
  const server = await serve((_received, res) => answerJson(res, 404, { detail: 'No turn.' }));
  const call = createHoumaoClient({ baseUrl: server.url })
    .agent('alpha')
    .getTurnStdout({ path: { turn_id: 't' } });
  await expect(call).rejects.toMatchObject({ name: 'HoumaoError', status: 404, detail: 'No turn.' });
});

test('the token is sent where it is given', async () => {
  const server = await serve((_received, res) => answerJson(res, 200, { agents: [] }));
  await createHoumaoClient({ baseUrl: server.url, token: 'secret' }).listAgents();
  expect(server.received[0]?.headers.authorization).toBe('Bearer secret');
  await createHoumaoClient({ baseUrl: server.url }).listAgents();
  expect(server.received[1]?.headers.authorization).toBeUndefined();
});
