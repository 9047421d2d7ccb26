// Iterators of the SDK against a real gateway, and through the server.
import { existsSync, renameSync } from 'node:fs';
import { createGatewayClient, type GatewayClient } from '@houmao/sdk';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.js';
import { behindServer } from './support/behind-server.js';
import { serveEach } from './support/served.js';

/** Reads until an item fits, and returns all up to it. */
async function readUntil<Item>(items: AsyncIterator<Item>, fits: (item: Item) => boolean): Promise<Item[]> {
  const read: Item[] = [];
  for (;;) {
    const { value, done } = await items.next();
    if (done) return expect.fail(`it ended after ${read.length} items`);
    read.push(value);
    if (fits(value)) return read;
  }
}

describe('a gateway', () => {
  const served = serveEach();
  const client = (): GatewayClient => createGatewayClient({ baseUrl: served.gateway.url });

  /** A restart at the same address. */
  async function restart(between: () => void = () => undefined): Promise<void> {
    const { port } = new URL(served.gateway.url);
    await served.gateway.stop();
    between();
    served.gateway = await startGateway(served.session, { flags: ['--port', port] });
  }

  test('is followed over a restart: nothing is missed, nothing comes twice', async () => {
    const controller = new AbortController();
    const events = client().events({ signal: controller.signal });
    const first = await client().submit('before');
    const isEndOf = (requestId: string) => (item: { kind: string }) =>
      item.kind === 'completed' && 'subject_id' in item && item.subject_id === requestId;
    const seen = await readUntil(events, isEndOf(first.requestId));
    const waiting = readUntil(events, ({ kind }) => kind === 'gateway_started');
    await restart();
    seen.push(...(await waiting));
    const second = await client().submit('after');
    seen.push(...(await readUntil(events, isEndOf(second.requestId))));
    const { events: stored } = await client().listEvents({ query: { limit: 200 } });
    expect(seen).toEqual(stored.slice(0, seen.length));
    controller.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('whose queue was moved aside declares the gap', async () => {
    await (await client().submit('before')).answer();
    const events = client().events({ kinds: ['gateway_started'] });
    const before = await events.next();
    const waiting = readUntil(events, ({ kind }) => kind === 'gateway_started');
    await restart(() => {
      for (const end of ['', '-wal', '-shm'])
        if (existsSync(served.session.paths.queue + end))
          renameSync(served.session.paths.queue + end, `${served.session.paths.queue}.aside${end}`);
    });
    const [gap, started] = await waiting;
    expect(before.value).toMatchObject({ kind: 'gateway_started' });
    expect(gap).toMatchObject({
      kind: 'gap',
      detail: expect.stringMatching(/log of events .* again/),
    });
    expect(started).toMatchObject({ kind: 'gateway_started' });
  });

  test('gives out every request over all pages, or those of a state', async () => {
    const ids: string[] = [];
    for (const text of ['one', 'two', '[[exit=7]] three']) {
      const handle = await client().submit(text);
      await handle.answer().catch(() => undefined);
      ids.unshift(handle.requestId);
    }
    const idsOf = async (options: Parameters<GatewayClient['requests']>[0]) => {
      const found: string[] = [];
      for await (const { request_id } of client().requests(options)) found.push(request_id);
      return found;
    };
    expect(await idsOf({ pageSize: 1 })).toEqual(ids);
    expect(await idsOf({ state: 'failed' })).toEqual(ids.slice(0, 1));
    await expect(idsOf({ signal: AbortSignal.abort() })).rejects.toMatchObject({ errorCode: 'aborted' });
    await expect(idsOf({ pageSize: 0 })).rejects.toMatchObject({ errorCode: 'validation_failed' });
  });
});

describe('a gateway that is asked through the server', () => {
  const behind = behindServer();

  test('is followed over gateways that come and go, and lists its requests', async () => {
    const { gateway } = createHoumaoClient({ baseUrl: behind.server.url }).agent(behind.name);
    const { request_id } = await gateway.submitRequest({
      body: { kind: 'submit_prompt', payload: { prompt: 'hello' } },
    });
    const events = gateway.events({ kinds: ['completed', 'gateway_started'] });
    const seen = await readUntil(events, ({ kind }) => kind === 'completed');
    expect(seen.at(-1)).toMatchObject({ subject_id: request_id });
    const waiting = readUntil(events, ({ kind }) => kind === 'gateway_started');
    await behind.gateway?.stop();
    await behind.startGateway();
    expect(await waiting).toHaveLength(1);
    const requests: string[] = [];
    for await (const request of gateway.requests({ pageSize: 1 })) requests.push(request.request_id);
    expect(requests).toEqual([request_id]);
  });
});
