// The sentences of a gateway about mail when the disk of the mailboxes is full, or may not be written any more.
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.js';
import { call } from '../../support/http.js';
import { makeSession, type TestSession } from '../../support/test-session.js';
import { type SmallDisk, smallDisk } from './own-disk.js';

let root: string;
let session: TestSession;
let disk: SmallDisk;
let gateway: GatewayProcess;
beforeEach(async () => {
  const first = await makeSession({ name: 'bob', mailbox: null });
  root = join(realpathSync(first.folder), 'mailbox');
  const mailbox = { root, address: null, principalId: null };
  session = await makeSession({ name: 'alice', folder: first.folder, mailbox });
  await makeSession({ name: 'carol', folder: first.folder, mailbox });
  disk = await smallDisk(root, 8);
  gateway = await startGateway(session, { through: disk.through });
});
afterEach(async () => {
  await gateway.stop();
  disk.remove();
  session.remove();
});

const ask = (path: string, body?: object, headers: Record<string, string> = {}) =>
  call(gateway.url, body ? 'POST' : 'GET', `/v1/mail/${path}`, body, headers);
const send = (subject: string, headers: Record<string, string> = {}, body = 'x'.repeat(20_000)) =>
  ask('send', { to: ['carol@houmao.localhost'], subject, body_content: body }, headers);
const inSent = async (): Promise<string[]> => {
  const { status, body } = await ask('list', { box: 'sent', limit: 50 });
  expect(status).toBe(200);
  return body.messages.map(({ subject }: { subject: string }) => subject).sort();
};
/** Files of messages, and what deliveries left half done. */
const filesOf = (folder: string): string[] =>
  readdirSync(join(disk.seen, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );

const remount = (mode: 'ro' | 'rw') => disk.run('mount', '-o', `remount,${mode}`, root);
/** No disk becomes read-only on demand as long as databases on it are open. */
async function freeze(): Promise<void> {
  await gateway.stop();
  remount('ro');
  gateway = await startGateway(session, { through: disk.through });
}

test.each([
  ['full', async () => disk.fill(), () => disk.makeRoom(), /disk is full|no space left/i],
  ['read-only', freeze, () => remount('rw'), /read-only|readonly/i],
] as const)(
  'a disk that is %s: nothing is half written, and each call says why',
  async (_kind, breakIt, mendIt, why) => {
    const before = await send('before');
    expect(before.status).toBe(200);
    const ref = before.body.message.message_ref;
    await breakIt();
    const key = { 'idempotency-key': 'the-same-call' };
    const refused = [
      await send('during'),
      await send('with a key', key),
      await ask('mark', { message_refs: [ref], answered: true }),
      await ask('move', { message_refs: [ref], destination_box: 'later' }),
      await ask('archive', { message_refs: [ref] }),
    ];
    for (const { status, body } of refused) {
      expect([status, JSON.stringify(body)]).toEqual([502, expect.stringMatching(why)]);
      expect(JSON.stringify(body)).toContain(root);
    }
    expect(await inSent()).toEqual(['before']);
    expect([filesOf('messages').length, filesOf('staging')]).toEqual([1, []]);
    expect((await call(gateway.url, 'GET', '/v1/status')).body.request_admission).toBe('open');
    mendIt();
    const again = [await send('with a key', key), await send('with a key', key)];
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    expect(again[1]?.body.message.message_ref).toBe(again[0]?.body.message.message_ref);
    expect((await ask('mark', { message_refs: [ref], answered: true })).status).toBe(200);
    expect(await inSent()).toEqual(['before', 'with a key']);
    expect(filesOf('messages')).toHaveLength(2);
  },
);
