// Hosts that are away, and a NATS server that is: what was accepted arrives once, and nothing else changes.
import { setImmediate } from 'node:timers/promises';
import { createHoumaoClient } from '@houmao/sdk/managed-agent';
import { Kvm } from '@nats-io/kv';
import { expect, test } from 'vitest';
import { buckets } from '../../../src/fleet/engine/layout.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import {
  alphaAndBeta,
  type FleetHost,
  fleetHosts,
  giveCommand,
  inFleet,
  knows,
  waitFor,
} from '../../support/fleet/hosts.js';
import { takenPrompts } from '../recovery/evidence.js';

const promptsOf = ({ session }: FleetHost) => takenPrompts(session.ledger).map(({ prompt }) => prompt);
const commandOf = async ({ ask }: FleetHost, id: string) =>
  (await ask('GET', `/houmao/fleet/commands/${id}`)).body;
const pathTo = (reference: string) => `/houmao/agents/${encodeURIComponent(reference)}`;

async function twoHosts() {
  const engine = fleetEngine('ws1', 'ws2');
  await engine.start();
  const start = fleetHosts(engine);
  return { engine, start, ...(await alphaAndBeta(start)) };
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'prompts for a host that is away since a %s wait, and run once and in order when it is back',
  { timeout: 240_000 },
  async (signal) => {
    const { ws1, ws2 } = await twoHosts();
    const listed = async () =>
      (await ws1.ask('GET', '/houmao/agents?scope=fleet&name=beta&state=ready')).body.agents;
    await expect.poll(listed).toHaveLength(1);
    await ws2.away(signal);
    const prompts = ['first', 'second', 'third', 'fourth', 'fifth'];
    const ids: string[] = [];
    for (const prompt of prompts) ids.push(await giveCommand(ws1, 'beta@ws2', prompt));
    expect(await commandOf(ws1, ids[0] ?? '')).toMatchObject({ state: 'accepted', admitted_at_utc: null });
    const request = await ws1.ask('GET', `${pathTo('beta@ws2')}/gateway/requests/${ids[0]}`);
    expect(request).toMatchObject({
      status: 200,
      body: { state: 'accepted', turn: null, waiting_reason: { code: 'unavailable' } },
    });
    for (const [method, path, body] of [
      ['GET', '/state', undefined],
      ['POST', '/requests', { request_kind: 'submit_prompt', prompt: 'now' }],
      ['POST', '/gateway/requests', { kind: 'interrupt', payload: {} }],
    ] as const) {
      const refused = await ws1.ask(method, pathTo('beta@ws2') + path, body);
      expect({ status: refused.status, code: refused.headers.get('x-houmao-error-code') }).toEqual({
        status: 503,
        code: 'host_away',
      });
    }
    const list = async (query: string) =>
      (await ws1.ask('GET', `/houmao/fleet/commands?host=ws2&${query}`)).body;
    const previews = ({ commands }: { commands: { prompt_preview: string }[] }) =>
      commands.map(({ prompt_preview }) => prompt_preview);
    expect(previews(await list('agent=HOUMAO-beta'))).toEqual(prompts);
    expect(await list('limit=2')).toMatchObject({ commands: [{}, {}], total: 5 });
    const [known] = await listed();
    expect(known.place).toMatchObject({ reference: 'beta@ws2', state: 'ready' });
    if (signal === 'SIGTERM') expect(known.place.presence).toBe('left');
    await ws2.back();
    for (const id of ids) expect(await waitFor(ws1, id)).toMatchObject({ state: 'delivered' });
    expect(promptsOf(ws2)).toEqual(prompts);
    expect(await list('')).toMatchObject({ commands: [], total: 0 });
    expect(previews(await list('state=all'))).toEqual(prompts.toReversed());
  },
);

test('a host that is back knows every host and agent of its fleet from its first moment in it', {
  timeout: 240_000,
}, async () => {
  const { engine, ws1, ws2 } = await twoHosts();
  await ws2.away();
  // Many, so that they take some time to come.
  const bucket = await new Kvm(await engine.connect('ws2')).open(buckets.agents);
  const { agents } = (await ws1.ask('GET', '/houmao/agents')).body;
  const { tool, transport, agent_id } = agents[0];
  const copy = { version: 1, host: 'ws2', tool, transport, agent_id, state: 'ready', detail: null };
  const names = Array.from({ length: 2000 }, (_, number) => `many-${number}`);
  await Promise.all(
    names.map((name) =>
      bucket.put(`ws2.${name}`, JSON.stringify({ ...copy, tracked_agent_id: name, agent_name: name })),
    ),
  );
  await ws1.away('SIGKILL');
  const back = ws1.back();
  const isOnline = async (): Promise<boolean> =>
    (await ws1.ask('GET', '/houmao/fleet')).body.state === 'online';
  // No pause between two looks, so that it is the first moment.
  while (!(await isOnline().catch(() => false))) await setImmediate();
  const last = await ws1.ask('GET', `${pathTo(names.at(-1) ?? '')}/state`);
  expect(last.headers.get('x-houmao-error-code')).toBe('host_away');
  await back;
  const listed = await ws1.ask('GET', '/houmao/agents?scope=fleet&name=many-');
  expect(listed.body.agents).toHaveLength(names.length);
});

test('a prompt that was cancelled while its host was away never runs, nor does one whose deadline passed', {
  timeout: 240_000,
}, async () => {
  const { ws1, ws2 } = await twoHosts();
  await ws2.away();
  const cancelled = await giveCommand(ws1, 'beta@ws2', 'cancelled');
  const late = await giveCommand(ws1, 'beta@ws2', 'late', { 'X-Houmao-Deadline': '2026-01-01T00:00:00Z' });
  const kept = await giveCommand(ws1, 'beta@ws2', 'kept');
  const cancel = () => ws1.ask('DELETE', `/houmao/fleet/commands/${cancelled}`);
  const { ended_at_utc } = (await cancel()).body;
  expect(await cancel()).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  expect(await cancel()).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  await ws2.back();
  expect(await waitFor(ws1, kept)).toMatchObject({ state: 'delivered' });
  expect(await waitFor(ws1, late)).toMatchObject({ state: 'lapsed' });
  expect(await commandOf(ws1, cancelled)).toMatchObject({ state: 'cancelled', ended_at_utc });
  expect(promptsOf(ws2)).toEqual(['kept']);
  const done = await ws1.ask('DELETE', `/houmao/fleet/commands/${kept}`);
  expect(done.status).toBe(409);
});

test('a prompt lapses at its deadline, which a program learns while the host is still away', {
  timeout: 240_000,
}, async () => {
  const { ws1, ws2 } = await twoHosts();
  await ws2.away();
  const { gateway } = createHoumaoClient({ baseUrl: ws1.server.url }).agent('beta@ws2');
  const deadline = new Date(Date.now() + 1500);
  const late = await gateway.submit('late', { deadline });
  const seen = await commandOf(ws1, late.requestId);
  expect(seen).toMatchObject({ state: 'accepted', deadline_at_utc: deadline.toISOString() });
  await expect(late.answer()).rejects.toMatchObject({ errorCode: 'lapsed', requestId: late.requestId });
  await expect(gateway.prompt('late too', { deadline })).rejects.toMatchObject({ errorCode: 'lapsed' });
  const kept = await gateway.submit('kept', { deadline: new Date(Date.now() + 3_600_000) });
  await ws2.back();
  expect(await kept.answer()).toContain('kept');
  expect(promptsOf(ws2)).toEqual(['kept']);
});

test('without NATS a host works as before and says since when it is offline; events go out later, in order', {
  timeout: 240_000,
}, async () => {
  const { engine, ws1, ws2 } = await twoHosts();
  await engine.kill();
  await expect.poll(async () => (await ws1.ask('GET', '/houmao/fleet')).body.state).toBe('offline');
  const { body: status } = await ws1.ask('GET', '/houmao/fleet');
  const { since_utc, detail } = status;
  expect((await ws1.ask('GET', '/health')).body.fleet).toEqual({ state: 'offline', since_utc, detail });
  expect(status).toMatchObject({ host: 'ws1', detail: expect.stringContaining(engine.url) });
  expect(Number.isNaN(Date.parse(status.since_utc))).toBe(false);
  const prompt = { request_kind: 'submit_prompt', prompt: 'alone' };
  expect((await ws1.ask('POST', `${pathTo('alpha')}/requests`, prompt)).status).toBe(200);
  const queued = { kind: 'submit_prompt', payload: { prompt: 'elsewhere' } };
  const elsewhere = await ws1.ask('POST', `${pathTo('beta@ws2')}/gateway/requests`, queued);
  expect(elsewhere.headers.get('x-houmao-error-code')).toBe('fleet_offline');
  const hosts = await ws1.ask('GET', '/houmao/fleet/hosts');
  expect(hosts.body.hosts).toMatchObject([{ presence: 'unknown' }, { presence: 'unknown' }]);
  await expect.poll(() => promptsOf(ws1)).toEqual(['alone']);

  await engine.start();
  await inFleet(ws1);
  await inFleet(ws2);
  const seen = async () => {
    const { body } = await ws2.ask('GET', '/houmao/fleet/events?after=0&limit=200');
    const events: { host: string; event: { seq: number; kind: string } | null }[] = body.events;
    return events.filter(({ host }) => host === 'ws1').map(({ event }) => event);
  };
  await expect.poll(async () => (await seen()).map((event) => event?.kind)).toContain('turn_ended');
  const numbers = (await seen()).map((event) => event?.seq ?? 0);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
});

test('streams that are gone are made again; a place in the old one is a declared gap, and commands go on', {
  timeout: 240_000,
}, async () => {
  const { engine, ws1, ws2 } = await twoHosts();
  await waitFor(ws1, await giveCommand(ws1, 'beta@ws2', 'before'));
  const { body: before } = await ws1.ask('GET', '/houmao/fleet/events?after=latest');
  await engine.wipe();
  await engine.start();
  for (const host of [ws1, ws2]) {
    await expect.poll(async () => (await host.ask('GET', '/houmao/fleet/hosts')).body.hosts.length).toBe(2);
    await inFleet(host);
  }
  await knows(ws1, 'ws1', 'ws2');
  const id = await giveCommand(ws1, 'beta@ws2', 'after');
  expect(await waitFor(ws1, id)).toMatchObject({ state: 'delivered' });
  expect(promptsOf(ws2)).toEqual(['before', 'after']);
  const { body } = await ws1.ask('GET', `/houmao/fleet/events?after=${before.next_after}&wait_seconds=10`);
  expect(body.events[0]).toMatchObject({
    event: null,
    host: null,
    gap: expect.stringContaining('began again'),
  });
});

test('a second host of one name is refused, with the address of the first and since when', {
  timeout: 240_000,
}, async () => {
  const { start, ws1 } = await twoHosts();
  const other = await start('ws1', { agent: 'gamma', joins: false });
  const statusOf = async () => (await other.ask('GET', '/houmao/fleet')).body;
  await expect.poll(async () => (await statusOf()).state, { timeout: 60_000 }).toBe('refused');
  const { detail } = await statusOf();
  expect(detail).toContain(`port ${ws1.server.port}`);
  expect(detail).toMatch(/since \d{4}-/);
  expect((await ws1.ask('GET', '/houmao/fleet')).body.state).toBe('online');
});
