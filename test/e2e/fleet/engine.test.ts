// The keys of hosts at a real NATS server: everything that a host does there, and nothing that is another one's.
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { createUser } from '@nats-io/nkeys';
import {
  AuthorizationError,
  connect,
  headers,
  type NatsConnection,
  nkeyAuthenticator,
  PermissionViolationError,
} from '@nats-io/transport-node';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  buckets,
  callSubject,
  commandSubject,
  commandsOf,
  eventSubject,
  hostConsumer,
  inboxPrefix,
  streams,
} from '../../../src/fleet/engine/layout.js';
import { linkFaultOf } from '../../../src/fleet/engine/link-fault.js';
import { authenticatorOf } from '../../../src/fleet/engine/settings.js';
import { fleetEngine } from '../../support/fleet/engine.js';

const engine = fleetEngine('ws1', 'ws2');
beforeAll(async () => {
  await engine.start();
  await prepare(await engine.connect('ws1'));
});

/** Makes the streams and buckets of a fleet, unless they are there. */
async function prepare(connection: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: streams.commands,
    subjects: ['houmao.cmd.*.*'],
    retention: RetentionPolicy.Workqueue,
    deny_delete: true,
    deny_purge: true,
  });
  await manager.streams.add({
    name: streams.events,
    subjects: ['houmao.evt.*'],
    deny_delete: true,
    deny_purge: true,
  });
  const kvm = new Kvm(connection);
  for (const bucket of Object.values(buckets)) await kvm.create(bucket, { history: 1, markerTTL: 1000 });
}

const kvOf = (connection: NatsConnection, bucket: keyof typeof buckets) =>
  new Kvm(connection).open(buckets[bucket]);

describe('a host', () => {
  test('finds the streams and buckets that another one has made', async () => {
    const connection = await engine.connect('ws2');
    await prepare(connection);
    const { config } = await (await jetstreamManager(connection)).streams.info(streams.commands);
    expect(config.retention).toBe(RetentionPolicy.Workqueue);
  });

  test('takes and acknowledges its commands, from whichever host they come, and no others', async () => {
    const [own, other] = [await engine.connect('ws1'), await engine.connect('ws2')];
    const sent = await jetstream(other).publish(commandSubject('ws1', 'alpha'), 'first', { msgID: 'cmd-1' });
    const again = await jetstream(other).publish(commandSubject('ws1', 'alpha'), 'first', { msgID: 'cmd-1' });
    expect([sent.duplicate, again.duplicate, again.seq]).toEqual([false, true, sent.seq]);
    await jetstream(own).publish(commandSubject('ws2', 'beta'), 'not for ws1');
    await jetstream(own).publish(commandSubject('ws1', 'a.b'), 'second');
    await (await jetstreamManager(own)).consumers.add(streams.commands, {
      durable_name: hostConsumer('ws1'),
      filter_subject: commandsOf('ws1'),
      ack_policy: AckPolicy.Explicit,
    });
    const consumer = await jetstream(own).consumers.get(streams.commands, hostConsumer('ws1'));
    const messages = await consumer.consume({ max_messages: 10 });
    const taken: string[] = [];
    for await (const message of messages) {
      expect(await message.ackAck()).toBe(true);
      taken.push(`${message.subject} ${message.string()}`);
      if (taken.length === 2) break;
    }
    expect(taken).toEqual([
      `${commandSubject('ws1', 'alpha')} first`,
      `${commandSubject('ws1', 'a.b')} second`,
    ]);
    const { num_pending, num_ack_pending } = await consumer.info();
    expect({ num_pending, num_ack_pending }).toEqual({ num_pending: 0, num_ack_pending: 0 });
  });

  test('keeps records by compare-and-set, with a time to live, and sees those of others change', async () => {
    const [own, other] = [await engine.connect('ws1'), await engine.connect('ws2')];
    const hosts = await kvOf(own, 'hosts');
    const watched = await (await kvOf(other, 'hosts')).watch({ key: 'ws1' });
    const revision = await hosts.create('ws1', 'here', '60s');
    await expect(hosts.create('ws1', 'a second one')).rejects.toThrow();
    const renewed = await hosts.update('ws1', 'still here', revision);
    await expect(hosts.update('ws1', 'of an older epoch', revision)).rejects.toThrow();
    expect((await (await kvOf(other, 'hosts')).get('ws1'))?.revision).toBe(renewed);
    const seen: string[] = [];
    for await (const entry of watched) {
      seen.push(entry.string());
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['here', 'still here']);
    // A bucket that was opened by making it is read by direct gets.
    const made = await new Kvm(other).create(buckets.hosts);
    expect([(await made.get('ws1'))?.revision, await made.get('ws1', { revision })]).toEqual([renewed, null]);
    await hosts.delete('ws1');
    expect((await hosts.get('ws1'))?.operation).toBe('DEL');
    await (await kvOf(own, 'agents')).put('ws1.alpha', '{}');
    await (await kvOf(own, 'commands')).put('cmd-1', 'accepted');
    await (await kvOf(other, 'commands')).put('cmd-1', 'admitted');
    const keys: string[] = [];
    for await (const key of await (await kvOf(other, 'agents')).keys()) keys.push(key);
    expect(keys).toEqual(['ws1.alpha']);
  });

  test('takes a long list of records under flow control', async () => {
    const own = await engine.connect('ws1');
    const commands = await kvOf(own, 'commands');
    const value = 'x'.repeat(20_000);
    const ids = Array.from({ length: 300 }, (_, at) => `long-${at}`);
    for (const id of ids) await commands.put(id, value);
    const seen = new Set<string>();
    for await (const { key } of await commands.history()) seen.add(key);
    expect([...seen].filter((key) => ids.includes(key))).toHaveLength(ids.length);
  });

  test('writes its events in order, and reads those of all hosts from any place', async () => {
    const [own, other] = [await engine.connect('ws1'), await engine.connect('ws2')];
    const first = await jetstream(own).publish(eventSubject('ws1'), 'a', {
      expect: { lastSubjectSequence: 0 },
    });
    await jetstream(other).publish(eventSubject('ws2'), 'b');
    const second = await jetstream(own).publish(eventSubject('ws1'), 'c', {
      expect: { lastSubjectSequence: first.seq },
    });
    await expect(
      jetstream(own).publish(eventSubject('ws1'), 'a hole', { expect: { lastSubjectSequence: first.seq } }),
    ).rejects.toThrow();
    const consumer = await jetstream(other).consumers.get(streams.events, { opt_start_seq: first.seq });
    const read: string[] = [];
    for await (const message of await consumer.consume()) {
      read.push(`${message.subject} ${message.string()}`);
      if (message.seq === second.seq) break;
    }
    expect(read).toEqual(['houmao.evt.ws1 a', 'houmao.evt.ws2 b', 'houmao.evt.ws1 c']);
    expect(await consumer.delete()).toBe(true);
  });

  test('answers calls of others, in one message or in many', async () => {
    const [caller, called] = [await engine.connect('ws1'), await engine.connect('ws2')];
    called.subscribe(callSubject('ws2'), {
      callback: (_error, message) => {
        const times = Number(message.string());
        for (let at = 0; at < times; at += 1) message.respond(`${at}`);
      },
    });
    await called.flush();
    expect((await caller.request(callSubject('ws2'), '1', { timeout: 20_000 })).string()).toBe('0');
    const parts: number[] = [];
    const inbox = `${inboxPrefix('ws1')}.parts`;
    const answers = caller.subscribe(inbox, { max: 300 });
    caller.publish(callSubject('ws2'), '300', { reply: inbox });
    for await (const part of answers) parts.push(Number(part.string()));
    expect(parts).toEqual(Array.from({ length: 300 }, (_, at) => at));
  });

  test('is let in while the server runs', async () => {
    engine.letIn('ws3');
    await expect.poll(() => engine.connect('ws3', { reconnect: false }).then(() => 'in', String)).toBe('in');
  });
});

/** Publishes, and returns the server's refusal. */
async function refusalOf(connection: NatsConnection, act: () => unknown): Promise<Error> {
  const statuses = connection.status();
  act();
  for await (const status of statuses) if (status.type === 'error') return status.error;
  throw new Error('the connection was closed');
}

const api = '$JS.API';
const stored = [...Object.values(streams), ...Object.values(buckets).map((bucket) => `KV_${bucket}`)];
const unpublishable = [
  eventSubject('ws2'),
  `$KV.${buckets.hosts}.ws2`,
  `$KV.${buckets.agents}.ws2.alpha`,
  '$KV.another.key',
  'houmao.other',
  'anything',
  ...stored.flatMap((stream) =>
    ['STREAM.DELETE', 'STREAM.PURGE', 'STREAM.UPDATE', 'STREAM.MSG.DELETE', 'STREAM.SNAPSHOT'].map(
      (call) => `${api}.${call}.${stream}`,
    ),
  ),
  `${api}.STREAM.CREATE.OTHER`,
  `${api}.STREAM.MSG.GET.${streams.commands}`,
  `${api}.DIRECT.GET.${streams.commands}.${commandSubject('ws2', 'alpha')}`,
  `${api}.CONSUMER.CREATE.${streams.commands}`,
  `${api}.CONSUMER.CREATE.${streams.commands}.${hostConsumer('ws1')}`,
  `${api}.CONSUMER.CREATE.${streams.commands}.${hostConsumer('ws1')}.${commandsOf('ws2')}`,
  `${api}.CONSUMER.CREATE.${streams.commands}.${hostConsumer('ws2')}.${commandsOf('ws2')}`,
  `${api}.CONSUMER.DURABLE.CREATE.${streams.commands}.${hostConsumer('ws2')}`,
  `${api}.CONSUMER.MSG.NEXT.${streams.commands}.${hostConsumer('ws2')}`,
  `${api}.CONSUMER.DELETE.${streams.commands}.${hostConsumer('ws2')}`,
  `$JS.ACK.${streams.commands}.${hostConsumer('ws2')}.1.1.1.1.1`,
  '$SYS.REQ.SERVER.PING',
];

test.each(unpublishable)('a host cannot publish to %s', async (subject) => {
  const connection = await engine.connect('ws1');
  const refusal = await refusalOf(connection, () => connection.publish(subject, '{}'));
  expect(refusal).toBeInstanceOf(PermissionViolationError);
  expect(refusal).toMatchObject({ operation: 'publish', subject });
});

test.each([
  callSubject('ws2'),
  commandsOf('ws2'),
  'houmao.cmd.*.*',
  'houmao.evt.*',
  `${inboxPrefix('ws2')}.>`,
  '_INBOX.>',
  '$KV.>',
  `${api}.>`,
  '>',
])('a host cannot subscribe to %s', async (subject) => {
  const connection = await engine.connect('ws1');
  const refused = new Promise((resolve) => connection.subscribe(subject, { callback: resolve }));
  expect(await refused).toMatchObject({
    name: PermissionViolationError.name,
    operation: 'subscription',
    subject,
  });
});

test('a host cannot have its own consumer filter the commands of another one', async () => {
  const connection = await engine.connect('ws1');
  const subject = `${api}.CONSUMER.CREATE.${streams.commands}.${hostConsumer('ws1')}.${commandsOf('ws1')}`;
  for (const filter of [
    { filter_subject: commandsOf('ws2') },
    { filter_subjects: [commandsOf('ws2')] },
    {},
  ]) {
    const config = { durable_name: hostConsumer('ws1'), ack_policy: AckPolicy.Explicit };
    const asked = JSON.stringify({ stream_name: streams.commands, config: { ...config, ...filter } });
    const answer = await connection.request(subject, asked, { timeout: 20_000 });
    expect(answer.json(), asked).toMatchObject({ error: { code: 400 } });
  }
});

test('a host cannot put events in place of others, as streams take no rollup', async () => {
  const connection = await engine.connect('ws1');
  const rollup = headers();
  rollup.set('Nats-Rollup', 'all');
  await expect(
    jetstream(connection).publish(eventSubject('ws1'), 'alone', { headers: rollup }),
  ).rejects.toThrow();
});

test.each([
  ['a key that the server does not have', () => nkeyAuthenticator(createUser().getSeed())],
  ['no key', undefined],
])('%s is not let in', async (_name, authenticator) => {
  const options = {
    servers: engine.url,
    reconnect: false,
    ...(authenticator && { authenticator: authenticator() }),
  };
  await expect(connect(options)).rejects.toBeInstanceOf(AuthorizationError);
});

test('a server that does not encrypt has its own sentence, with what to do', async () => {
  const urls = [engine.url.replace('nats:', 'tls:')];
  const settings = { urls, host: 'ws1', credentials: null, ca: null, replicas: 1 };
  const options = { servers: urls, reconnect: false, ...authenticatorOf(settings) };
  const error = await connect(options).catch((fault: Error) => fault);
  expect(linkFaultOf(error as Error, settings)).toEqual({
    kind: 'offline',
    reason: expect.stringContaining('--tls-cert'),
  });
});

test('what was acknowledged is there after the server was killed, and gone after its streams were', async () => {
  const own = fleetEngine('ws1');
  await own.start();
  const connection = await own.connect('ws1');
  await prepare(connection);
  await jetstream(connection).publish(commandSubject('ws1', 'alpha'), 'kept');
  const first = own.pid;
  await own.kill();
  await own.start();
  expect(own.pid).not.toBe(first);
  const messages = async () =>
    (await (await jetstreamManager(await own.connect('ws1'))).streams.info(streams.commands)).state.messages;
  expect(await messages()).toBe(1);
  await own.stop();
  await own.start();
  expect(await messages()).toBe(1);
  await own.wipe();
  await own.start();
  await expect(messages()).rejects.toThrow();
});
