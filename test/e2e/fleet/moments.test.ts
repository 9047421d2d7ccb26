// Parts of a fleet over a real NATS server, at moments that whole processes cannot be brought to on purpose.
import { setImmediate } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { Objm } from '@nats-io/obj';
import { ClosedConnectionError, connect, type NatsConnection } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { CommandBoard } from '../../../src/fleet/commands/command-board.js';
import { CommandReceiver } from '../../../src/fleet/commands/command-receiver.js';
import { eventSubject } from '../../../src/fleet/engine/layout.js';
import type { FleetSession } from '../../../src/fleet/engine/link.js';
import { openBuckets, openFiles, prepareStreams, readObject } from '../../../src/fleet/engine/stores.js';
import { EventReader } from '../../../src/fleet/events/event-reader.js';
import { FleetStore } from '../../../src/fleet/fleet-store.js';
import { systemClock } from '../../../src/foundation/clock.js';
import { fleetEngine } from '../../support/fleet/engine.js';
import { openWay } from '../../support/fleet/ways.js';
import { temporaryFolder, whenOver } from '../../support/temporary-folder.js';

const slow = { timeout: 120_000 };
const clock = systemClock;

async function sessionOf(connection: NatsConnection, over: AbortController): Promise<FleetSession> {
  const manager = await jetstreamManager(connection);
  await prepareStreams(manager, 1);
  const kept = await openBuckets(new Kvm(connection), 1);
  const files = await openFiles(new Objm(connection), 1);
  const joined = () => undefined;
  return { connection, manager, streams: jetstream(connection), ...kept, files, ended: over.signal, joined };
}

test('a prompt that its agent had before its host noted the admission is delivered', slow, async () => {
  const engine = fleetEngine('ws1', 'ws2');
  await engine.start();
  const report = () => undefined;
  const store = new FleetStore({ path: `${temporaryFolder()}/fleet.sqlite`, clock, report });
  const { journal, outbox, commands: table } = store;
  whenOver(() => store.close());
  const over = new AbortController();
  const board = new CommandBoard(clock, () => clock.now());
  const atUtc = '2026-06-01T12:00:00+00:00';
  const receiver = new CommandReceiver({
    host: 'ws2',
    journal,
    table,
    board,
    clock,
    engineNow: () => clock.now(),
    confirmedAt: (id) => outbox.confirmedAt(id),
    admission: {
      admit: async () => {
        const data = { request_id: 'gwreq-1', at_utc: atUtc };
        await journal.write(() => {
          outbox.insert({ event: { kind: 'turn_confirmed', data } });
          receiver.delivered('gwreq-1', atUtc);
        });
        return { status: 202, code: null, requestId: 'gwreq-1', detail: null };
      },
    },
    report,
  });
  const running = receiver.run(await sessionOf(await engine.connect('ws2'), over));
  const ws1 = await sessionOf(await engine.connect('ws1'), over);
  const body = { kind: 'submit_prompt', payload: { prompt: 'once' } };
  const none = { metadata: null, epoch: null, key: null, deadlineAtUtc: null };
  const given = await board.submit(ws1, { host: 'ws2', agentRef: 'beta', body, ...none });
  const id = 'record' in given ? given.record.command_id : given.trouble;
  const wanted = { until: 'delivered', seconds: 60, signal: over.signal } as const;
  expect(await board.wait(ws1, id, wanted)).toMatchObject({
    state: 'delivered',
    delivered_at_utc: atUtc,
    request_id: 'gwreq-1',
  });
  over.abort();
  await running;
});

test(
  'a page of events ends with the session in which it was asked for, and the next one goes on there',
  slow,
  async () => {
    const engine = fleetEngine('ws1');
    await engine.start();
    const over = new AbortController();
    const direct = await sessionOf(await engine.operate(), over);
    const large = 'x'.repeat(200_000);
    const numbers = Array.from({ length: 100 }, (_, at) => at + 1);
    for (const seq of numbers) {
      const item = { tracked_agent_id: 'a', agent_name: 'alpha', event: { seq, text: large }, gap: null };
      const event = JSON.stringify({ version: 1, host: 'ws1', number: seq, item });
      await direct.streams.publish(eventSubject('ws1'), event);
    }
    const way = await openWay([engine.url]);
    const connection = await connect({
      servers: [...way.urls],
      user: 'operator',
      pass: 'of-the-tests',
      reconnect: false,
    });
    whenOver(() => connection.close());
    const session = await sessionOf(connection, over);
    const reader = new EventReader(clock);
    const before = connection.stats().inBytes;
    const wanted = { limit: 100, waitSeconds: 0, signal: over.signal };
    const reading = reader.page(session, { after: '0', ...wanted });
    while (connection.stats().inBytes - before < 1_000_000) await setImmediate();
    way.cut();
    over.abort();
    await connection.close();
    const page = await reading;
    expect(page.events.length).toBeGreaterThan(0);
    expect(page.events.length).toBeLessThan(numbers.length);
    const rest = await reader.page(
      { manager: direct.manager, ended: new AbortController().signal },
      { after: page.next_after, limit: 100, waitSeconds: 0, signal: new AbortController().signal },
    );
    const seen = [...page.events, ...rest.events].map(({ event }) => event?.seq);
    expect(seen).toEqual(numbers);
  },
);

test(
  'a connection that closes ends the reading of an object, which the library alone would read for ever',
  slow,
  async () => {
    const engine = fleetEngine('ws1');
    await engine.start();
    const over = new AbortController();
    const connection = await engine.connect('ws1', { reconnect: false });
    void connection.closed().then(() => over.abort());
    const session = await sessionOf(connection, over);
    await session.files.putBlob({ name: 'large' }, new Uint8Array(16 * 1024 * 1024));
    const before = connection.stats().inBytes;
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    void session.files.getBlob('large').then(settle, settle);
    const read = readObject(session, 'large').catch((error: Error) => error);
    while (connection.stats().inBytes - before < 1024 * 1024) await setImmediate();
    await engine.kill();
    expect(await read).toBeInstanceOf(ClosedConnectionError);
    for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
    expect(settled ? 'settles now' : 'still reads').toBe('still reads');
  },
);
