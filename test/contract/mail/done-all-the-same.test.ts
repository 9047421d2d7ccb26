// Work that was done although something went wrong: it must not look refused, or callers do it twice.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createGatewayClient } from '@houmao/sdk';
import { expect, test } from 'vitest';
import { addressOf, newRoot, registerName } from '../../support/mail/mail-root.js';
import { refuseRows } from '../../support/mail/refuse-rows.js';
import { caught } from '../../unit/sdk/caught.js';
import { editManifest } from '../support/edit-manifest.js';
import { startMailAgent, twoMailAgents } from './two-agents.js';

const agents = twoMailAgents();
const refuse = (name: string, subject: string) => refuseRows(join(agents.root, 'mailboxes'), name, subject);
const signs = ({ headers }: { headers: Headers }) => [
  headers.get('x-houmao-done'),
  headers.get('x-houmao-message-ref'),
];
const bobsOf = async (subject: string): Promise<number> => {
  const { body } = await agents.bob.mail('list', {});
  return body.messages.filter((one: { subject: string }) => one.subject === subject).length;
};
const toBob = (subject: string) => ({ to: [agents.bob.address], subject, body_content: '' });

test('a message that was delivered, and could not be noted everywhere, says so and which it is', async () => {
  const mend = refuse('alice', 'noted late');
  const key = { 'Idempotency-Key': 'noted-late' };
  const late = await agents.alice.mail('send', toBob('noted late'), key);
  expect(late).toMatchObject({ status: 502, body: { detail: expect.stringContaining('is delivered, but') } });
  const [done, ref] = signs(late);
  expect([done, ref]).toEqual(['true', expect.stringMatching(/^filesystem:msg-/)]);
  expect(await bobsOf('noted late')).toBe(1);
  expect((await agents.bob.mail('peek', { message_ref: ref })).status).toBe(200);
  mend();
  const again = await agents.alice.mail('send', toBob('noted late'), key);
  expect(again).toMatchObject({ status: 200, body: { message: { message_ref: ref, box: 'sent' } } });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await bobsOf('noted late')).toBe(1);
});

test('a change that was made, and cannot be shown, says so', async () => {
  const { body } = await agents.bob.mail('post', { subject: 'shown late', body_content: '' });
  const { message_ref: ref, created_at_utc: at } = body.message;
  const id = ref.slice('filesystem:'.length);
  rmSync(join(agents.root, 'messages', at.slice(0, 10), `${id}.md`));
  const moved = await agents.bob.mail('move', { message_refs: [ref], destination_box: 'elsewhere' });
  expect(moved).toMatchObject({ status: 502, body: { detail: expect.stringContaining('it is done, but') } });
  expect(signs(moved)).toEqual(['true', null]);
  expect((await agents.bob.mail('list', { box: 'elsewhere' })).body.damaged).toMatchObject([
    { message_ref: ref },
  ]);
});

test('a refusal has neither sign', async () => {
  const { alice } = agents;
  const refused = await alice.mail('send', { ...toBob('refused'), to: ['nobody@houmao.localhost'] });
  expect([refused.status, ...signs(refused)]).toEqual([502, null, null]);
  const unknown = `filesystem:msg-20200101T000000Z-${'0'.repeat(32)}`;
  const mark = await alice.mail('mark', { message_refs: [unknown], read: true });
  expect([mark.status, ...signs(mark)]).toEqual([502, null, null]);
});

test('a call that was refused leaves its key to the call that mends it', async () => {
  const { alice } = agents;
  const key = { 'Idempotency-Key': 'mended' };
  expect(await alice.mail('send', toBob('two\nlines'), key)).toMatchObject({ status: 422 });
  const unknown = { ...toBob('mended'), to: ['nobody@houmao.localhost'] };
  expect(await alice.mail('send', unknown, key)).toMatchObject({ status: 502 });
  expect(await alice.mail('send', toBob('mended'), key)).toMatchObject({ status: 200 });
  expect(await bobsOf('mended')).toBe(1);
});

test('a key means one mailbox: in another one it delivers nothing new', async () => {
  const carol = await startMailAgent(agents.root, 'carol');
  try {
    const key = { 'Idempotency-Key': 'moved-house' };
    const mail = { to: [carol.address], subject: 'moved house', body_content: '' };
    expect(await carol.mail('send', mail, key)).toMatchObject({ status: 200 });
    const elsewhere = await newRoot();
    await registerName(elsewhere, 'carol');
    editManifest(carol.session.paths, ({ launch_plan }) => {
      Object.assign(launch_plan.mailbox, {
        filesystem_root: elsewhere.paths.root,
        bindings_version: '2030-01-01T00:00:00.000001Z',
        mailbox_path: join(elsewhere.paths.mailboxes, addressOf('carol')),
      });
    });
    expect(await carol.mail('send', mail, key)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/ or mailbox\.$/) },
    });
    expect((await carol.mail('list', {})).body.messages).toEqual([]);
  } finally {
    await carol.end();
  }
});

test('the SDK says that it was delivered, which message it is, and the key that makes up for the rest', async () => {
  const client = createGatewayClient({ baseUrl: agents.alice.gateway.url });
  const mend = refuse('bob', 'reported by the SDK');
  const body = toBob('reported by the SDK');
  const error = await caught(client.sendMail({ body }));
  expect(error).toMatchObject({
    status: 502,
    done: true,
    messageRef: expect.stringMatching(/^filesystem:msg-/),
    detail: expect.not.stringContaining('not known'),
  });
  mend();
  const headers = { 'Idempotency-Key': error.idempotencyKey! };
  const { message } = await client.sendMail({ body, headers });
  expect(message.message_ref).toBe(error.messageRef);
  expect(await bobsOf('reported by the SDK')).toBe(1);
});
