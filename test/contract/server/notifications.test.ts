// Notifications over HTTP: made, read, changed, tested, removed; and the events of an agent that reach real receivers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHoumaoClient, type Schemas } from '@houmao/sdk/managed-agent';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launchOn } from '../../support/managed-agents.js';
import { type ManagedServer, openManagedServer } from '../../support/managed-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

let server: ManagedServer;
let receiver: WebhookReceiver;
let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  server = await openManagedServer(folder);
  receiver = await startReceiver();
});
afterEach(async () => {
  await server.close();
  await receiver.close();
  expect(server.faults).toEqual([]);
});

const path = '/houmao/notifications';
const toReceiver = (more: object = {}) => ({ target: { kind: 'webhook', url: receiver.url }, ...more });
const made = async (body: object): Promise<Schemas['NotificationCreated']> => {
  const answer = await server.ask('POST', path, body);
  expect(answer.status).toBe(201);
  return answer.body;
};
const idOf = ({ notification }: Schemas['NotificationCreated']): string => notification.notification_id;
const deliveriesOf = async (id: string): Promise<Schemas['NotificationDelivery'][]> =>
  (await server.ask('GET', `${path}/${id}/deliveries`)).body.deliveries;
const prompted = (name: string) =>
  createHoumaoClient({ baseUrl: server.url, timeoutMs: 30_000 }).agent(name).prompt('hello');
const launched = async (...names: string[]): Promise<void> => {
  for (const name of names) await launchOn(server.host, folder, name);
  await server.server.directory.changed();
};

test('a webhook gets the end of a turn, signed, and a message of a test', async () => {
  const created = await made(toReceiver());
  const { secret } = created;
  expect(secret).toMatch(/^whsec_/);
  await launched('alpha');
  await prompted('alpha');
  await expect.poll(receiver.types).toEqual(['turn_ended']);
  const [call] = receiver.calls;
  const verified = new Webhook(secret ?? '').verify(call!.body, call!.headers as Record<string, string>);
  expect(verified).toMatchObject({
    type: 'turn_ended',
    data: { agent_name: 'alpha', event: { kind: 'turn_ended', data: { outcome: 'completed' } }, missed: 0 },
  });
  const tested = await server.ask('POST', `${path}/${idOf(created)}/test`);
  expect([tested.status, tested.body.code, tested.body.status]).toEqual([200, 'delivered', 204]);
  expect(receiver.types()).toEqual(['turn_ended', 'test']);
});

test('kinds and agents are chosen: the end of one agent, and nothing of the other', async () => {
  await made(toReceiver({ events: ['turn_claimed', 'turn_ended'], agents: ['beta'] }));
  await launched('alpha', 'beta');
  await prompted('alpha');
  await prompted('beta');
  await expect.poll(receiver.types).toEqual(['turn_claimed', 'turn_ended']);
  expect(receiver.calls.map(({ body }) => JSON.parse(body).data.agent_name)).toEqual(['beta', 'beta']);
});

test('what was made is listed, read, replaced and deleted, and shows its secret never again', async () => {
  const created = await made(toReceiver({ description: 'for the pager' }));
  const id = idOf(created);
  expect(created.notification).toMatchObject({ enabled: true, events: null, agents: null, pending: 0 });
  expect((await server.ask('GET', path)).body.notifications).toEqual([created.notification]);
  const body = toReceiver({ events: ['fault'], enabled: false });
  const replaced = await server.ask('PUT', `${path}/${id}`, body);
  expect([replaced.status, replaced.body]).toMatchObject([
    ...[200, { description: null, events: ['fault'], enabled: false, disabled_reason: null }],
  ]);
  expect((await server.ask('GET', `${path}/${id}`)).body).toEqual(replaced.body);
  expect(JSON.stringify([replaced.body, (await server.ask('GET', path)).body])).not.toContain('whsec_');
  expect((await server.ask('DELETE', `${path}/${id}`)).body).toEqual(replaced.body);
  expect((await server.ask('GET', path)).body.notifications).toEqual([]);
});

test('a call that is repeated with its key makes one notification and shows its secret again', async () => {
  const key = { 'Idempotency-Key': 'key-1' };
  const first = await server.ask('POST', path, toReceiver(), key);
  const again = await server.ask('POST', path, toReceiver(), key);
  expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([201, 'true']);
  expect(again.body).toEqual(first.body);
  const other = await server.ask('POST', path, toReceiver({ events: ['fault'] }), key);
  expect([other.status, other.headers.get('X-Houmao-Error-Code')]).toEqual([422, 'key_reused']);
});

test('a secret is exchanged, and only a webhook has one', async () => {
  const { secret, ...created } = await made(toReceiver());
  const rotated = await server.ask('POST', `${path}/${created.notification.notification_id}/rotate-secret`);
  expect([rotated.status, rotated.body.secret === secret]).toEqual([200, false]);
  const desktop = await made({ target: { kind: 'desktop' }, enabled: false });
  expect(desktop.secret).toBeNull();
  const refused = await server.ask('POST', `${path}/${idOf(desktop)}/rotate-secret`);
  expect([refused.status, refused.headers.get('X-Houmao-Error-Code')]).toEqual([409, 'no_secret']);
});

test('what was sent is listed with its attempts, and sent again where that is asked for', async () => {
  const id = idOf(await made(toReceiver()));
  receiver.answer((response) => response.writeHead(500).end('out of order'));
  await launched('alpha');
  await prompted('alpha');
  await expect.poll(async () => (await deliveriesOf(id))[0]?.last_attempt?.status).toBe(500);
  const [delivery] = await deliveriesOf(id);
  expect(delivery).toMatchObject({ state: 'pending', attempts: 1, last_attempt: { code: 'http_status' } });
  expect((await server.ask('GET', `${path}/${id}`)).body).toMatchObject({
    pending: 1,
    failing_since_utc: expect.any(String),
    last_failure: { status: 500 },
  });
  receiver.answer((response) => response.writeHead(204).end());
  const again = () => server.ask('POST', `${path}/${id}/deliveries/${delivery?.message_id}/repeat`);
  expect((await again()).status).toBe(200);
  await expect.poll(async () => (await deliveriesOf(id))[0]?.state).toBe('delivered');
  await server.ask('PUT', `${path}/${id}`, toReceiver({ enabled: false }));
  const refused = await again();
  expect([refused.status, refused.headers.get('X-Houmao-Error-Code')]).toEqual([
    409,
    'notification_disabled',
  ]);
});

/** Every operation, at a notification that is not there. */
const operations = (): [string, string, object?][] => [
  ['GET', path],
  ['POST', path, toReceiver()],
  ['GET', `${path}/notif-none`],
  ['PUT', `${path}/notif-none`, toReceiver()],
  ['DELETE', `${path}/notif-none`],
  ['POST', `${path}/notif-none/test`],
  ['POST', `${path}/notif-none/rotate-secret`],
  ['GET', `${path}/notif-none/deliveries`],
  ['POST', `${path}/notif-none/deliveries/msg_1/repeat`],
];

test('an unknown parameter is refused at every operation', async () => {
  for (const [method, where, body] of operations()) {
    const answer = await server.ask(method, `${where}?colour=blue`, body);
    expect([method, where, answer.status]).toEqual([method, where, 422]);
  }
});

test('while the database cannot be read, every operation is 503, the log names the file, and it stays', async () => {
  const file = join(folder, 'server', 'state', 'notifications.sqlite');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'no database');
  for (const [method, where, body] of operations()) {
    const answer = await server.ask(method, where, body);
    expect([method, where, answer.status, answer.headers.get('X-Houmao-Error-Code')]).toEqual([
      ...[method, where, 503, 'unavailable'],
    ]);
    expect(server.faults.splice(0).join()).toContain(file);
  }
  expect(readFileSync(file, 'utf8')).toBe('no database');
});

test('what is not there is 404 at every operation', async () => {
  for (const [method, where, body] of operations().slice(2)) {
    const { status, headers } = await server.ask(method, where, body);
    expect([method, where, status, headers.get('X-Houmao-Error-Code')]).toEqual([
      ...[method, where, 404, 'unknown_notification'],
    ]);
  }
  const id = idOf(await made(toReceiver()));
  const { status, headers } = await server.ask('POST', `${path}/${id}/deliveries/msg_1/repeat`);
  expect([status, headers.get('X-Houmao-Error-Code')]).toEqual([404, 'unknown_message']);
});

test.each([
  ['an unknown kind', { events: ['no_such_kind'] }, ['body', 'events', 0]],
  ['no kind', { events: [] }, ['body', 'events']],
  ['a blank agent', { agents: [' '] }, ['body', 'agents', 0]],
  [
    'no scheme of the web',
    { target: { kind: 'webhook', url: 'file:///etc/passwd' } },
    ['body', 'target', 'url'],
  ],
  [
    'a password',
    { target: { kind: 'webhook', url: 'https://me:secret@example.com/' } },
    ['body', 'target', 'url'],
  ],
  ['no host', { target: { kind: 'webhook', url: 'https://[/' } }, ['body', 'target', 'url']],
  ['another target', { target: { kind: 'pigeon' } }, ['body', 'target', 'kind']],
  ['an empty command', { target: { kind: 'command', command: [] } }, ['body', 'target', 'command']],
  ['no target', { target: undefined }, ['body', 'target']],
])('%s is refused, with its place, and nothing is made', async (_what, change, loc) => {
  const { status, body } = await server.ask('POST', path, { ...toReceiver(), ...change });
  expect([status, body.detail[0].loc]).toEqual([422, loc]);
  expect((await server.ask('GET', path)).body.notifications).toEqual([]);
});

test('the kind of a target stays, and there are at most a hundred', async () => {
  const desktop = await made({ target: { kind: 'desktop' }, enabled: false });
  const { status, body } = await server.ask('PUT', `${path}/${idOf(desktop)}`, toReceiver());
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'target', 'kind']]);
  for (let count = 1; count < 100; count += 1) await made({ target: { kind: 'desktop' }, enabled: false });
  const full = await server.ask('POST', path, { target: { kind: 'desktop' }, enabled: false });
  expect([full.status, full.headers.get('X-Houmao-Error-Code')]).toEqual([422, 'notifications_full']);
});

test('a command is set by programs of the user who runs the server, and by no web page and no other machine', async () => {
  const body = { target: { kind: 'command', command: ['/bin/true'] }, enabled: false };
  const origin = { Origin: server.url };
  const page = await server.ask('POST', path, body, origin);
  expect([page.status, page.headers.get('X-Houmao-Error-Code')]).toEqual([403, 'command_refused']);
  const id = idOf(await made(body));
  const changed = await server.ask('PUT', `${path}/${id}`, body, origin);
  expect([changed.status, changed.headers.get('X-Houmao-Error-Code')]).toEqual([403, 'command_refused']);
  expect((await server.ask('POST', `${path}/${id}/test`)).body).toMatchObject({
    code: 'delivered',
    status: 0,
  });
});

describe('without --allow-private-webhooks', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254', '0x7f.1'])(
    '%s is refused, with field and rule, and nothing is made',
    async (host) => {
      const careful = await openManagedServer(temporaryFolder(), undefined, { allowsPrivateWebhooks: false });
      const url = `http://${host}:${new URL(receiver.url).port}/hook`;
      const { status, body } = await careful.ask('POST', path, { target: { kind: 'webhook', url } });
      expect([status, body.detail[0]]).toMatchObject([
        422,
        { type: 'private_address', loc: ['body', 'target', 'url'], input: url },
      ]);
      expect((await careful.ask('GET', path)).body.notifications).toEqual([]);
      expect(receiver.calls).toEqual([]);
      await careful.close();
    },
  );
});
