// Notifications over real receivers and a real database; the events of agents come from a list, and time from the test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HostEvent } from '../../../../src/server/events/host-cursor.js';
import type {
  EventsWanted,
  GatewayEvent,
  HostEventPage,
} from '../../../../src/server/events/host-event-feed.js';
import type { NotificationDefinition } from '../../../../src/server/notifications/notification.js';
import { Notifications } from '../../../../src/server/notifications/notifications.js';
import { mostPending } from '../../../../src/server/notifications/outbox.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { VirtualClock } from '../../../support/virtual-clock.js';
import { startReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.js';

/** The events of a host, as far as a test has let them happen. A place is how many there were. */
class Happenings {
  readonly items: HostEvent<GatewayEvent>[] = [];
  asked = 0;
  readonly #clock: VirtualClock;
  #wake: () => void = () => undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  happens(kind: 'dialog_shown' | 'turn_ended' | 'gateway_stopping', agent = 'alpha', count = 1): void {
    const at_utc = this.#clock.now().toISOString();
    for (let index = 0; index < count; index += 1) {
      const event = {
        seq: this.items.length + 1,
        at_utc,
        kind,
        subject_id: null,
        data: dataOf(kind, at_utc),
      };
      const of = { tracked_agent_id: `id-of-${agent}`, agent_name: `HOUMAO-${agent}`, gap: null };
      this.items.push({ id: String(this.items.length + 1), ...of, event: event as GatewayEvent });
    }
    this.#wake();
  }

  latestPlace = async (): Promise<string> => String(this.items.length);
  answer = async ({ after, limit, signal }: EventsWanted): Promise<HostEventPage> => {
    this.asked += 1;
    const from = Number(after);
    if (from === this.items.length && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    const events = this.items.slice(from, from + limit);
    return { schema_version: 1, events, next_after: String(from + events.length) };
  };
}

const dataOf = (kind: string, at_utc: string): object =>
  kind === 'dialog_shown'
    ? { dialog_id: 'dialog-1', dialog_kind: 'permission', text: 'Proceed?', choices: ['Yes', 'No'], at_utc }
    : { turn_id: 'turn-1', request_id: null, outcome: 'completed', error_code: null, at_utc };

let clock: VirtualClock;
let host: Happenings;
let path: string;
let notifications: Notifications;
let receiver: WebhookReceiver;
const faults: string[] = [];
const open = (): Notifications => {
  const opened = new Notifications({
    path,
    feed: host,
    clock,
    baseUrl: 'http://127.0.0.1:9889',
    environment: {},
    home: '/',
    allowsPrivate: true,
    limits: { webhookMilliseconds: 15_000, programMilliseconds: 15_000 },
    random: () => 0,
    report: (fault) => void faults.push(fault),
  });
  opened.start();
  return opened;
};
beforeEach(async () => {
  faults.length = 0;
  clock = new VirtualClock('2026-03-13T00:00:00Z');
  host = new Happenings(clock);
  path = join(temporaryFolder(), 'notifications.sqlite');
  notifications = open();
  receiver = await startReceiver();
});
afterEach(async () => {
  await notifications.close();
  await receiver.close();
  expect(faults).toEqual([]);
});

const definition = (more: Partial<NotificationDefinition> = {}, to = receiver): NotificationDefinition => ({
  target: { kind: 'webhook', url: to.url },
  description: null,
  events: null,
  agents: null,
  enabled: true,
  ...more,
});
const added = async (more: Partial<NotificationDefinition> = {}, to = receiver) => {
  const made = await notifications.create(definition(more, to), undefined);
  if (typeof made === 'string') throw new Error(made);
  return { id: made.notification.id, secret: made.secret ?? '' };
};
const [answers500, answers410, hangs] = [
  (response: { writeHead(status: number): { end(): unknown } }) => void response.writeHead(500).end(),
  (response: { writeHead(status: number): { end(): unknown } }) => void response.writeHead(410).end(),
  () => undefined,
];
const states = (id: string) => notifications.deliveries(id, 100).map(({ state }) => state);
const sent = (count: number) => expect.poll(() => receiver.calls.length).toBe(count);
const idsOfCalls = () => receiver.calls.map(({ headers }) => headers['webhook-id']);

describe('a message', () => {
  test('that a receiver refuses is tried again after its pause, under the same id, until it is taken', async () => {
    const { id } = await added();
    receiver.answer(answers500);
    host.happens('turn_ended');
    await sent(1);
    await expect.poll(() => notifications.get(id)?.notification.failingSince).not.toBeNull();
    const [waiting] = notifications.deliveries(id, 1);
    expect([waiting?.state, waiting!.nextAt! - clock.now().getTime()]).toEqual(['pending', 5000]);
    receiver.answer((response) => void response.writeHead(204).end());
    clock.pass(4999);
    // Another one is due at once, and shows that the first one is not.
    host.happens('turn_ended', 'beta');
    await sent(2);
    expect(JSON.parse(receiver.calls[1]!.body).data.agent_name).toBe('beta');
    clock.pass(1);
    await sent(3);
    expect(idsOfCalls()[2]).toBe(idsOfCalls()[0]);
    await expect.poll(() => states(id)).toEqual(['delivered', 'delivered']);
    expect(notifications.get(id)).toMatchObject({ pending: 0, notification: { failingSince: null } });
  });

  test('says what the agent asks and how to answer it', async () => {
    await added();
    host.happens('dialog_shown');
    await sent(1);
    expect(JSON.parse(receiver.calls[0]!.body).data).toMatchObject({
      agent_name: 'alpha',
      event: { kind: 'dialog_shown' },
      missed: 0,
      question: {
        text: 'Proceed?',
        choices: ['Yes', 'No'],
        command: 'houmao-mgr agents answer alpha',
        answer_url: 'http://127.0.0.1:9889/houmao/agents/id-of-alpha/gateway/tui/dialog',
      },
    });
  });

  test('is put in once and sent after a restart, also of what happened meanwhile', async () => {
    const { id } = await added();
    receiver.answer(hangs);
    host.happens('turn_ended');
    await sent(1);
    await notifications.close();
    host.happens('dialog_shown');
    receiver.answer((response) => void response.writeHead(204).end());
    notifications = open();
    await expect.poll(() => states(id)).toEqual(['delivered', 'delivered']);
    expect(receiver.types()).toEqual(['turn_ended', 'turn_ended', 'dialog_shown']);
    expect(idsOfCalls()[1]).toBe(idsOfCalls()[0]);
  });

  test('can be sent again, under its id', async () => {
    const { id } = await added();
    host.happens('turn_ended');
    await expect.poll(() => states(id)).toEqual(['delivered']);
    const messageId = notifications.deliveries(id, 1)[0]?.messageId ?? '';
    expect(await notifications.repeat(id, messageId)).toMatchObject({ state: 'pending' });
    await sent(2);
    expect(new Set(idsOfCalls()).size).toBe(1);
    expect(await notifications.repeat(id, 'msg_none')).toBeNull();
  });
});

describe('a receiver', () => {
  test('that hangs holds up no other one', async () => {
    const other = await startReceiver();
    receiver.answer(hangs);
    const hanging = await added();
    await added({}, other);
    host.happens('turn_ended', 'alpha', 50);
    await expect.poll(() => other.calls.length).toBe(50);
    expect([receiver.calls.length, notifications.get(hanging.id)?.pending]).toEqual([1, 50]);
    await other.close();
  });

  test('that is dead costs at most so many messages; the next one says how many are missed', async () => {
    const dead = await startReceiver();
    await dead.close();
    const { id } = await added({}, dead);
    host.happens('turn_ended', 'alpha', mostPending + 7);
    await expect.poll(() => notifications.get(id)?.notification.missed).toBe(7);
    expect(notifications.get(id)?.pending).toBe(mostPending);
    const kept = notifications.deliveries(id, 2 * mostPending);
    expect(kept.length).toBe(mostPending);
    expect(kept.reduce((sum, { message }) => sum + message.data.missed, 0)).toBe(7);
  });

  test('that answers 410 gets nothing more, and what waited is given up', async () => {
    const { id } = await added();
    receiver.answer(answers410);
    host.happens('turn_ended', 'alpha', 3);
    await expect.poll(() => notifications.get(id)?.notification.enabled).toBe(false);
    expect([states(id), receiver.calls.length]).toEqual([['failed', 'failed', 'failed'], 1]);
    expect(notifications.get(id)?.notification.disabledReason).not.toBeNull();
    receiver.answer((response) => void response.writeHead(204).end());
    host.happens('turn_ended');
    await notifications.update(id, definition());
    clock.pass(1000);
    host.happens('dialog_shown');
    await sent(2);
    expect(receiver.types()[1]).toBe('dialog_shown');
  });

  test('gets only the kinds and agents that it asked for', async () => {
    await added({ events: ['dialog_shown', 'gateway_stopping'], agents: ['beta'] });
    for (const agent of ['alpha', 'beta'])
      for (const kind of ['turn_ended', 'dialog_shown', 'gateway_stopping'] as const)
        host.happens(kind, agent);
    await sent(2);
    expect(receiver.types()).toEqual(['dialog_shown', 'gateway_stopping']);
    expect(receiver.calls.map(({ body }) => JSON.parse(body).data.agent_name)).toEqual(['beta', 'beta']);
  });
});

test('while no notification is enabled, the events of agents are not read', async () => {
  host.happens('turn_ended');
  expect(notifications.list()).toEqual([]);
  const { id } = await added({ enabled: false });
  await notifications.test(id);
  expect(host.asked).toBe(0);
  await notifications.update(id, definition());
  await expect.poll(() => host.asked).toBe(1);
  await notifications.remove(id);
  host.happens('turn_ended');
  const last = await added();
  clock.pass(1000);
  host.happens('dialog_shown');
  await expect.poll(() => states(last.id)).toEqual(['delivered']);
  expect(receiver.types()).toEqual(['test', 'dialog_shown']);
});

test('an Idempotency-Key makes one notification, and shows its secret again', async () => {
  const once = () => notifications.create(definition(), 'key-1');
  const [first, second] = [await once(), await once()];
  if (typeof first === 'string' || typeof second === 'string') throw new Error('refused');
  expect([first.replayed, second.replayed, second.secret]).toEqual([false, true, first.secret]);
  expect(second.notification.id).toBe(first.notification.id);
  expect(await notifications.create(definition({ events: ['fault'] }), 'key-1')).toBe('another_call');
  expect(notifications.list().length).toBe(1);
});

test('a secret that was exchanged signs for one more day', async () => {
  const { id, secret } = await added();
  const rotated = await notifications.rotate(id);
  const isSignedBy = (by: string): boolean => {
    const { body, headers } = receiver.calls.at(-1)!;
    const id = headers['webhook-id'] as string;
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    return `${headers['webhook-signature']}`.split(' ').includes(new Webhook(by).sign(id, at, body));
  };
  await notifications.test(id);
  expect([isSignedBy(secret), isSignedBy(rotated!.secret)]).toEqual([true, true]);
  clock.pass(24 * 3600 * 1000);
  await notifications.test(id);
  expect([isSignedBy(secret), isSignedBy(rotated!.secret)]).toEqual([false, true]);
});

test('a database that cannot be read is reported with its path, and left as it is', async () => {
  await notifications.close();
  writeFileSync(path, 'no database');
  notifications = open();
  expect(faults.splice(0).join()).toContain(path);
  await expect(notifications.create(definition(), undefined)).rejects.toMatchObject({ status: 503 });
  expect([faults.splice(0).length, readFileSync(path, 'utf8')]).toEqual([1, 'no database']);
});
