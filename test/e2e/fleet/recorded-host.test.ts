// A host of an earlier release in the fleet of today: ws1 says what such a host said when it was recorded (test/fixtures/fleet/), and
// ws2, of this release, understands it and says nothing that it would not understand. A release that changes what hosts send each other
// adds a recording and keeps the earlier ones.
import { readdirSync, readFileSync } from 'node:fs';
import { jetstream } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, test } from 'vitest';
import { fleetEngine } from '../../support/fleet/engine.js';
import { type FleetHost, fleetHosts } from '../../support/fleet/hosts.js';
import { call } from '../../support/http.js';
import { takenPrompts } from '../recovery/evidence.js';

interface Said {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}
interface Recording {
  readonly release: string;
  /** By ws1. */
  readonly said: Readonly<Record<string, Said>>;
  /** By ws2, in answer. */
  readonly heard: Readonly<Record<string, Said>>;
}

const folder = new URL('../../fixtures/fleet/', import.meta.url);
const recordings = readdirSync(folder).map(
  (name): Recording => JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
);

/** The names of the fields of an object, those within others too, with the kind of each; texts that hold JSON are looked into. */
function shapeOf(value: unknown, at = ''): string[] {
  if (value === null || typeof value !== 'object')
    return [`${at}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([name, one]) => shapeOf(one, `${at}.${name}`));
}
/** The fields of an earlier message that one of today lacks, or has with another kind of value; null fits all. */
function missing(earlier: string, now: string): string[] {
  const [before, after] = [earlier, now].map((text) => shapeOf(JSON.parse(text)));
  const kinds = new Map((after ?? []).map((line) => line.split(': ') as [string, string]));
  return (before ?? []).filter((line) => {
    const [name = '', kind] = line.split(': ');
    const other = kinds.get(name);
    return other === undefined || (other !== kind && other !== 'null' && kind !== 'null');
  });
}

describe.each(recordings)('a host of release $release', ({ said, heard }) => {
  const engine = fleetEngine('ws1', 'ws2');
  const start = fleetHosts(engine);
  let ws2: FleetHost;
  let ws1: NatsConnection;
  /** The messages on each subject since ws1 is there, the latest last. */
  const now = new Map<string, string[]>();

  const say = (name: string, reply?: string): void => {
    const { subject, headers: given, text } = said[name] as Said;
    const written = headers();
    for (const [key, value] of Object.entries(given)) written.set(key, value);
    ws1.publish(subject, text, { headers: written, ...(reply !== undefined && { reply }) });
  };
  const keep = (name: string): Promise<unknown> => {
    const { subject, headers: given, text } = said[name] as Said;
    const written = headers();
    for (const [key, value] of Object.entries(given)) written.set(key, value);
    return jetstream(ws1).publish(subject, text, { headers: written });
  };
  /** Asserts that one of the things that ws2 says today has all that it said to the earlier host. @param subject as its beginning */
  const expectUnderstood = (name: string, subject: string): void => {
    const texts = [...now].filter(([one]) => one.startsWith(subject)).flatMap(([, all]) => all);
    const gaps = texts.map((text) => missing(heard[name]?.text ?? '', text));
    expect(gaps.sort((one, other) => one.length - other.length)[0]).toEqual([]);
  };

  beforeAll(async () => {
    await engine.start();
    ws2 = await start('ws2', { agent: 'reviewer', mail: true });
    ws1 = await engine.connect('ws1');
    const observer = await engine.operate();
    observer.subscribe('>', {
      callback: (_error, message) => {
        const { subject, data } = message;
        if (data.length > 0) now.set(subject, [...(now.get(subject) ?? []), message.string()]);
      },
    });
    await observer.flush();
    await keep('host');
    await keep('lease');
    await keep('agent');
  }, 120_000);

  test('is known with its agents', async () => {
    await expect
      .poll(async () => (await ws2.ask('GET', '/houmao/fleet/hosts')).body.hosts)
      .toMatchObject([{ host: 'ws1', presence: 'online' }, { host: 'ws2' }]);
    await expect
      .poll(async () => (await ws2.ask('GET', '/houmao/agents?scope=fleet')).body.agents)
      .toMatchObject([{ place: { reference: 'writer@ws1', state: 'ready' } }, { place: { host: 'ws2' } }]);
    await expect.poll(() => now.has('$KV.houmao_hosts.ws2'), { timeout: 20_000 }).toBe(true);
    expectUnderstood('host', '$KV.houmao_hosts.ws2');
  });

  test('has its prompt run, and learns how far it came', async () => {
    await keep('command record');
    await keep('command');
    const id = JSON.parse(said.command?.text ?? '').command_id;
    await expect
      .poll(() => now.get(`$KV.houmao_commands.${id}`)?.at(-1), { timeout: 30_000 })
      .toContain('"delivered"');
    expect(takenPrompts(ws2.session.ledger).map(({ prompt }) => prompt)).toEqual(['Review the branch']);
    expectUnderstood('command record', `$KV.houmao_commands.${id}`);
    expectUnderstood('event', 'houmao.evt.ws2');
    expectUnderstood('agent', '$KV.houmao_agents.ws2.');
  });

  test.each([
    ['call', 200],
    ['call with a body', 422],
  ] as const)('has its %s answered', async (name, status) => {
    const inbox = `_INBOX.ws1.${name.replaceAll(' ', '-')}`;
    const frames: { kind: string | undefined; head: string | undefined; text: string }[] = [];
    const subscription = ws1.subscribe(inbox);
    say(name, inbox);
    for await (const message of subscription) {
      const kind = message.headers?.get('Houmao-Frame');
      frames.push({ kind, head: message.headers?.get('Houmao-Head'), text: message.string() });
      if (kind === 'end') break;
    }
    expect(frames.map(({ kind }) => kind)).toEqual(['head', 'body', 'end']);
    expect(JSON.parse(frames[0]?.head ?? '')).toMatchObject({
      status,
      headers: { 'content-type': expect.any(String) },
    });
  });

  test('has its events among those of the fleet', async () => {
    await keep('event');
    const item = JSON.parse(said.event?.text ?? '').item;
    const events = async () =>
      (await ws2.ask('GET', '/houmao/fleet/events?after=0&limit=200')).body.events.filter(
        ({ host }: { host: string }) => host === 'ws1',
      );
    await expect.poll(events).toMatchObject([{ agent_name: item.agent_name, event: item.event }]);
  });

  test('has its mail delivered, and gets the receipt', async () => {
    await keep('letter');
    await expect.poll(() => now.has('houmao.mail.ws1.ws2'), { timeout: 20_000 }).toBe(true);
    expectUnderstood('receipt', 'houmao.mail.ws1.ws2');
    const { body } = await call(ws2.gateway.url, 'POST', '/v1/mail/list', { box: 'inbox' });
    expect(body.messages).toMatchObject([
      { subject: 'The parser', sender: { address: 'writer@ws1.houmao.localhost' } },
    ]);
  });
});

test('the comparison sees a field that is gone, and one of another kind', () => {
  expect(missing('{"a":1,"b":{"c":"x"},"d":null}', '{"a":2,"b":{"c":"y"},"d":"z","e":1}')).toEqual([]);
  expect(missing('{"a":1,"b":{"c":"x"}}', '{"a":"1","b":{}}')).toEqual(['.a: number', '.b.c: string']);
});
