import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { AccountWatch, PushStream } from '../../../../src/mail/jmap/account-watch.js';
import { JmapClient } from '../../../../src/mail/jmap/client/jmap-client.js';
import { credentialOf } from '../../../support/jmap/accounts.js';
import { byMethod, scriptedServer } from '../../../support/jmap/scripted-server.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const never = new AbortController().signal;

/** A server that tells of changes, or does not, and a watch whose seconds pass when the test says so. */
async function watched(tells: boolean) {
  const server = await scriptedServer();
  const clock = new VirtualClock('2026-03-19T08:00:00Z');
  const it = { state: '1', stream: null as ServerResponse | null, opened: 0 };
  server.api = byMethod({ 'Email/get': () => ({ state: it.state }) });
  if (tells)
    server.events = (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      it.opened += 1;
      it.stream = answer;
    };
  const credential = () => credentialOf('alice', 'sesame');
  const client = new JmapClient({ jmapUrl: `${server.url}/jmap`, credential, clock });
  const push = new PushStream(client, clock);
  const watch = new AccountWatch(client, push, clock);
  onTestFinished(() => watch.close());
  expect(await watch.change(never, 0)).toBe(true);
  const asked = (): number => server.asked.filter(({ path }) => path === '/api').length;
  const live = () => expect.poll(() => push.isLive).toBe(true);
  return { it, server, clock, push, watch, asked, live };
}

test('what the server says wakes at once, and the state says whether it is true', async () => {
  const { it, watch, live, server, asked } = await watched(true);
  await live();
  expect(server.asked.find(({ path }) => path.startsWith('/events'))?.path).toBe('/events');
  const reported = watch.change(never, 20_000);
  await expect.poll(asked).toBe(2);
  it.state = '2';
  it.stream!.write('event: state\ndata: {"@type":"StateChange"}\n\n');
  expect(await reported).toBe(true);
  // Some too many: nothing is new. By the time that it asks again, it has heard so from the server.
  const enough = new AbortController();
  const asleep = watch.change(enough.signal, 20_000);
  for (const looks of [4, 5, 6]) {
    await expect.poll(asked).toBe(looks);
    it.stream!.write('event: state\ndata: {}\n\n');
  }
  await expect.poll(asked).toBe(7);
  enough.abort();
  expect(await asleep).toBe(false);
});

test('a stream that breaks off wakes all that wait, and is opened again', async () => {
  const { it, watch, live, clock, asked } = await watched(true);
  await live();
  const reported = watch.change(never, 20_000);
  await expect.poll(asked).toBe(2);
  it.state = '2';
  it.stream!.destroy();
  expect(await reported).toBe(true);
  clock.pass(1000);
  await expect.poll(() => it.opened).toBe(2);
  await live();
});

test.each([401, 503])(
  'a server that answers with %i instead of a stream is asked for one again soon',
  async (status) => {
    const { it, watch, live, clock, server } = await watched(true);
    await live();
    const tells = server.events;
    server.events = (_asked, answer) => {
      it.opened += 1;
      answer.writeHead(status).end();
    };
    it.stream!.destroy();
    await watch.change(never, 0);
    const openedLater = (): number => {
      clock.pass(1000);
      return it.opened;
    };
    await expect.poll(openedLater).toBe(2);
    server.events = tells;
    await expect.poll(openedLater).toBe(3);
    await live();
  },
);

test('a stream that is silent for too long is lost', async () => {
  const { it, push, live, clock, watch } = await watched(true);
  await live();
  // Somebody waits all the time.
  for (const milliseconds of [50_000, 24_000]) {
    clock.pass(milliseconds);
    await watch.change(never, 0);
  }
  expect(push.isLive).toBe(true);
  clock.pass(2000);
  await expect.poll(() => push.isLive).toBe(false);
  clock.pass(1000);
  await expect.poll(() => it.opened).toBe(2);
});

test('who waits no more leaves nothing behind', async () => {
  const { watch, push } = await watched(false);
  for (let waits = 0; waits < 3; waits += 1) {
    const enough = new AbortController();
    const reported = watch.change(enough.signal, 20_000);
    await expect.poll(() => push.changes.listenerCount('changed')).toBe(1);
    enough.abort();
    expect(await reported).toBe(false);
    expect(push.changes.listenerCount('changed')).toBe(0);
  }
});

test('without a push the state is asked for each second', async () => {
  const { it, watch, clock, asked } = await watched(false);
  const reported = watch.change(never, 20_000);
  await expect.poll(asked).toBe(2);
  clock.pass(1000);
  await expect.poll(asked).toBe(3);
  it.state = '2';
  clock.pass(1000);
  expect(await reported).toBe(true);
});

test.each(['closed', 'not wanted for a minute'])('a watch that is %s has no stream', async (how) => {
  const { it, push, watch, live, clock } = await watched(true);
  await live();
  if (how === 'closed') watch.close();
  else clock.pass(60_000);
  await expect.poll(() => push.isLive).toBe(false);
  for (let minute = 0; minute < 10; minute += 1) {
    clock.pass(60_000);
    await new Promise(setImmediate);
  }
  expect(it.opened).toBe(1);
  if (how === 'closed') return;
  // A caller that waits again has one again.
  const reported = watch.change(never, 20_000);
  await live();
  expect(it.opened).toBe(2);
  it.state = '2';
  it.stream!.write('event: state\ndata: {}\n\n');
  expect(await reported).toBe(true);
});

test('a server that gives no answer keeps nobody from leaving', async () => {
  const { watch, server } = await watched(false);
  server.api = () => undefined;
  const enough = new AbortController();
  const waiting = watch.change(enough.signal, 20_000);
  await expect.poll(() => server.asked.filter(({ path }) => path === '/api').length).toBe(2);
  enough.abort();
  expect(await waiting).toBe(false);
});
