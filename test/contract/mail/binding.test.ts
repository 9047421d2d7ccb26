// Where the manifest says that the agent's mailbox is, and how much may be asked of it at once.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { editManifest } from '../support/edit-manifest.js';
import { twoMailAgents } from './two-agents.js';

const agents = twoMailAgents();

let versions = 0;

/** As another program could, for the time of some work. */
async function withBinding(changes: object, work: () => Promise<void>): Promise<void> {
  const { paths } = agents.bob.session;
  let before: object = {};
  versions += 1;
  const bindings_version = `2030-01-01T00:00:00.${String(versions).padStart(6, '0')}Z`;
  editManifest(paths, ({ launch_plan: plan }) => {
    before = plan.mailbox;
    plan.mailbox = { ...plan.mailbox, ...changes, bindings_version };
  });
  try {
    await work();
  } finally {
    editManifest(paths, ({ launch_plan: plan }) => {
      plan.mailbox = before;
    });
  }
}
const mailToBob = () => ({ to: [agents.bob.address], body_content: '' });
const mailToAlice = () => ({ to: [agents.alice.address], subject: 'from elsewhere', body_content: '' });

test('a root whose path leads in a circle is reported, and no fault of the gateway', async () => {
  const loop = join(agents.bob.session.folder, 'loop');
  symlinkSync(loop, loop);
  await withBinding({ filesystem_root: loop }, async () => {
    for (const [operation, body] of [
      ['status', undefined],
      ['list', {}],
      ['send', mailToAlice()],
    ] as const)
      expect(await agents.bob.mail(operation, body)).toMatchObject({
        status: 502,
        body: { detail: expect.stringContaining('ELOOP') },
      });
  });
  expect((await agents.bob.mail('status')).status).toBe(200);
});

test('a mailbox that the address has in another folder now is not taken for the agent’s', async () => {
  const other = join(agents.root, 'mailboxes', agents.alice.address);
  const { body } = await agents.bob.mail('post', { subject: 'a note', body_content: '' });
  const { message_ref: ref } = body.message;
  await withBinding({ mailbox_path: other }, async () => {
    for (const [operation, body] of [
      ...[['status', undefined] as const, ['list', {}] as const, ['peek', { message_ref: ref }] as const],
      ...[['archive', { message_refs: [ref] }] as const, ['send', mailToAlice()] as const],
    ])
      expect(await agents.bob.mail(operation, body)).toMatchObject({
        status: 502,
        body: { detail: expect.stringContaining(`now, not ${other}; register`) },
      });
  });
  expect((await agents.bob.mail('peek', { message_ref: ref })).body.message.box).toBe('inbox');
  expect((await agents.alice.mail('list', {})).body.messages).toEqual([]);
  // The older implementation may leave it out: then it is the one in the root.
  await withBinding({ mailbox_path: null }, async () => {
    expect((await agents.bob.mail('status')).status).toBe(200);
  });
});

test.each([
  ['mark', { read: true }],
  ['move', { destination_box: 'elsewhere' }],
  ['archive', {}],
])(
  '%s refuses a message that is named twice, whatever blanks are around it, and changes nothing',
  async (operation, more) => {
    await agents.alice.mail('send', { ...mailToBob(), subject: `twice, ${operation}` });
    const found = await vi.waitUntil(async () => {
      const { messages } = (await agents.bob.mail('list', {})).body;
      return messages.find(({ subject }: { subject: string }) => subject === `twice, ${operation}`);
    });
    const { message_ref: ref } = found;
    const refused = await agents.bob.mail(operation, { message_refs: [ref, ` ${ref}\t`], ...more });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: 'message_refs[1] names the message of message_refs[0] once more.' },
    });
    expect((await agents.bob.mail('peek', { message_ref: ref })).body.message).toMatchObject({
      read: false,
      box: 'inbox',
    });
    expect((await agents.bob.mail(operation, { message_refs: [` ${ref} `], ...more })).status).toBe(200);
  },
);

test('a change of more than 1000 messages is refused, and so is guidance that no prompt has room for', async () => {
  const refs = Array.from({ length: 1001 }, (_, n) => `filesystem:msg-${n}`);
  const marked = await agents.bob.mail('mark', { message_refs: refs, read: true });
  expect(marked).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'message_refs'], msg: 'must have at most 1000 items' }] },
  });
  const settings = { interval_seconds: 60, appendix_text: 'ä'.repeat(16_385) };
  const put = await agents.bob.ask('PUT', '/v1/mail-notifier', settings);
  expect(put).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'string_too_long', loc: ['body', 'appendix_text'] }] },
  });
  const most = { ...settings, appendix_text: '😀'.repeat(16_384) };
  expect((await agents.bob.ask('PUT', '/v1/mail-notifier', most)).status).toBe(200);
  expect((await agents.bob.ask('DELETE', '/v1/mail-notifier')).status).toBe(200);
});
