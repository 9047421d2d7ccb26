// NATS that lost something while it ran, is full, or has streams of somebody else: hosts make again what they can, and say the rest.
import { jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { describe, expect, test } from 'vitest';
import { buckets, streams } from '../../../src/fleet/engine/layout.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import {
  alphaAndBeta,
  eventKindsOf,
  type FleetHost,
  fleetHosts,
  giveCommand,
  inFleet,
  knows,
  listsAgents,
  waitFor,
} from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

const slow = { timeout: 240_000 };
const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);
const pathTo = (reference: string) => `/houmao/agents/${encodeURIComponent(reference)}`;

async function twoHosts() {
  const engine = fleetEngine('ws1', 'ws2');
  await engine.start();
  const { ws1, ws2 } = await alphaAndBeta(fleetHosts(engine));
  await listsAgents(ws1, 'alpha@ws1', 'beta@ws2');
  const manager = await jetstreamManager(await engine.operate());
  return { engine, ws1, ws2, manager };
}

describe('what is deleted while hosts run', () => {
  test.each([
    streams.commands,
    streams.events,
    ...[buckets.hosts, buckets.agents, buckets.leases].map((bucket) => `KV_${bucket}`),
  ])(
    '%s is made again, also by hosts that need nothing of it, and all is in it that was',
    slow,
    async (name) => {
      const { engine, ws1, ws2, manager } = await twoHosts();
      const { created } = await manager.streams.info(name);
      const there = async () => (await manager.streams.info(name).catch(() => null))?.created ?? created;
      const epochs = async () => {
        const leases = await new Kvm(await engine.connect('ws1')).open(buckets.leases);
        const keys: string[] = [];
        for await (const key of await leases.keys()) keys.push(key);
        return keys.length;
      };
      expect(await epochs()).toBe(2);
      await manager.streams.delete(name);
      await expect.poll(there, { timeout: 60_000 }).not.toBe(created);
      for (const host of [ws1, ws2]) {
        // Each notices by itself, and is offline until it has begun again.
        await expect.poll(() => host.server.stderr(), { timeout: 60_000 }).toContain('fleet: offline');
        await inFleet(host);
        await knows(host, 'ws1', 'ws2');
        await listsAgents(host, 'alpha@ws1', 'beta@ws2');
      }
      await expect.poll(epochs, { timeout: 60_000 }).toBe(2);
      for (const [from, reference] of [
        [ws1, 'beta@ws2'],
        [ws2, 'alpha@ws1'],
      ] as const)
        expect(await waitFor(from, await giveCommand(from, reference, 'after'))).toMatchObject({
          state: 'delivered',
        });
      const confirmed = async () => {
        const { body } = await ws1.ask('GET', '/houmao/fleet/events?after=0&limit=200');
        const events: { event: { kind: string } | null }[] = body.events ?? [];
        return events.filter(({ event }) => event?.kind === 'turn_confirmed');
      };
      await expect.poll(confirmed).toHaveLength(2);
    },
  );

  test(
    'a repeat of a prompt of which it was lost how far it came does not run, and its host says how far',
    slow,
    async () => {
      const { ws1, ws2, manager } = await twoHosts();
      const key = { 'Idempotency-Key': 'once' };
      const id = await giveCommand(ws1, 'beta@ws2', 'only once', key);
      await waitFor(ws1, id);
      const bucket = `KV_${buckets.commands}`;
      await manager.streams.delete(bucket);
      const isThere = async () => (await manager.streams.info(bucket).catch(() => null)) !== null;
      await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
      await inFleet(ws1);
      await inFleet(ws2);
      expect(await giveCommand(ws1, 'beta@ws2', 'only once', key)).toBe(id);
      expect(await waitFor(ws1, id)).toMatchObject({ state: 'delivered' });
      expect(promptsOf(ws2)).toEqual(['only once']);
    },
  );
});

test(
  'a host that is away stays known by its agents where NATS lost the hosts, also to one that starts then',
  slow,
  async () => {
    const { ws1, ws2, manager } = await twoHosts();
    await ws2.away();
    await ws1.away();
    await manager.streams.delete(`KV_${buckets.hosts}`);
    await ws1.back();
    const waiting = await giveCommand(ws1, 'beta@ws2', 'for later');
    await ws2.back();
    expect(await waitFor(ws1, waiting)).toMatchObject({ state: 'delivered' });
  },
);

test(
  'prompts that waited in a stream that is deleted end as refused, and those after them arrive',
  slow,
  async () => {
    const { ws1, ws2, manager } = await twoHosts();
    await ws2.away();
    const lost = [await giveCommand(ws1, 'beta@ws2', 'one'), await giveCommand(ws1, 'beta@ws2', 'two')];
    await manager.streams.delete(streams.commands);
    const isThere = async () => (await manager.streams.info(streams.commands).catch(() => null)) !== null;
    await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
    await inFleet(ws1);
    const kept = await giveCommand(ws1, 'beta@ws2', 'three');
    await ws2.back();
    expect(await waitFor(ws1, kept)).toMatchObject({ state: 'delivered' });
    for (const id of lost)
      expect(await waitFor(ws1, id)).toMatchObject({
        state: 'refused',
        detail: expect.stringContaining('give it again'),
      });
    expect(promptsOf(ws2)).toEqual(['three']);
  },
);

describe('a NATS server that is full', () => {
  test(
    'has a host go on alone, which says what to do, and publishes what happened once there is room',
    slow,
    async () => {
      const { ws1, ws2, manager } = await twoHosts();
      const bucket = `KV_${buckets.hosts}`;
      const { config, state } = await manager.streams.info(bucket);
      await manager.streams.update(bucket, { ...config, max_bytes: state.bytes });
      const status = async () => (await ws1.ask('GET', '/houmao/fleet')).body;
      await expect.poll(async () => (await status()).state, { timeout: 60_000 }).toBe('offline');
      expect((await status()).detail).toContain('max_file_store');
      const alone = { request_kind: 'submit_prompt', prompt: 'alone' };
      expect((await ws1.ask('POST', `${pathTo('alpha')}/requests`, alone)).status).toBe(200);
      await expect.poll(() => promptsOf(ws1)).toEqual(['alone']);
      await manager.streams.update(bucket, { ...config, max_bytes: -1 });
      for (const host of [ws1, ws2]) await inFleet(host);
      await expect.poll(() => eventKindsOf('ws1', ws2)).toContain('turn_ended');
    },
  );

  test(
    'takes no prompt, and says what to do; what it has arrives, and it takes more once there is room',
    slow,
    async () => {
      const { ws1, ws2, manager } = await twoHosts();
      await ws2.away();
      const waiting = await giveCommand(ws1, 'beta@ws2', 'before');
      const { config, state } = await manager.streams.info(streams.commands);
      await manager.streams.update(streams.commands, { ...config, max_bytes: state.bytes });
      const body = { kind: 'submit_prompt', payload: { prompt: 'too much' } };
      const refused = await ws1.ask('POST', `${pathTo('beta@ws2')}/gateway/requests`, body);
      expect([refused.status, refused.headers.get('x-houmao-error-code')]).toEqual([503, 'fleet_offline']);
      expect(refused.headers.get('x-houmao-done')).toBeNull();
      expect(refused.body.detail).toMatch(/no room.*max_file_store/s);
      // It is a refusal of one prompt: the host stays in its fleet.
      expect((await ws1.ask('GET', '/houmao/fleet')).body.state).toBe('online');
      await ws2.back();
      expect(await waitFor(ws1, waiting)).toMatchObject({ state: 'delivered' });
      expect(await waitFor(ws1, await giveCommand(ws1, 'beta@ws2', 'again'))).toMatchObject({
        state: 'delivered',
      });
      expect(promptsOf(ws2)).toEqual(['before', 'again']);
    },
  );
});

test(
  'a stream of our name that is somebody else’s is left as it is, and named with the remedy',
  slow,
  async () => {
    const engine = fleetEngine('ws1');
    await engine.start();
    const manager = await jetstreamManager(await engine.operate());
    const subjects = ['houmao.cmd.*.*'];
    await manager.streams.add({ name: streams.commands, subjects, retention: RetentionPolicy.Limits });
    const before = (await manager.streams.info(streams.commands)).config;
    const ws1 = await fleetHosts(engine)('ws1', { joins: false });
    const status = async () => (await ws1.ask('GET', '/houmao/fleet')).body;
    await expect.poll(async () => (await status()).state).toBe('refused');
    expect((await status()).detail).toMatch(/HOUMAO_CMD.*retention limits.*remove it/s);
    expect((await manager.streams.info(streams.commands)).config).toEqual(before);
    await manager.streams.delete(streams.commands);
    await inFleet(ws1);
  },
);
