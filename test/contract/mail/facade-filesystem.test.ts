import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mailOf, openRoot, send } from '../../support/mail/mail-root.js';
import { testFacade } from './facade-suite.js';
import { twoMailAgents } from './two-agents.js';

const agents = twoMailAgents();

testFacade({
  transport: 'filesystem',
  agents,
  unknownRef: `filesystem:msg-20200101T000000Z-${'0'.repeat(32)}`,
  strangers: 'refused',
  comeToBob: async (subject, at) => {
    const mail = mailOf('alice', ['bob'], { subject, body: 'Hello.' }, at);
    return `filesystem:${(await send(openRoot(agents.root), mail)).messageId}`;
  },
});

/** Sends a message from Alice to Bob. @returns its reference. */
async function toBob(subject: string, more: object = {}): Promise<string> {
  const { alice, bob } = agents;
  const sent = await alice.mail('send', { to: [bob.address], subject, body_content: '', ...more });
  expect(sent.status).toBe(200);
  return sent.body.message.message_ref;
}

test('a message carries files by reference', async () => {
  const file = join(agents.alice.session.folder, 'report.md');
  writeFileSync(file, 'a report');
  const ref = await toBob('a file', { attachments: [{ path: file }, { path: file, label: 'again' }] });
  const { attachments } = (await agents.bob.mail('peek', { message_ref: ref })).body.message;
  expect(attachments).toMatchObject([
    { kind: 'path_ref', locator: file, media_type: 'text/markdown', size_bytes: 8, label: 'report.md' },
    { label: 'again' },
  ]);
});

test.each(['shared-token', 'hmac-sha256', 'jws'])(
  'the reserved scheme %s is refused where it stands',
  async (scheme) => {
    const mail = { to: [agents.bob.address], subject: 'S', body_content: '', notify_auth: { scheme } };
    expect(await agents.alice.mail('send', mail)).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ['body', 'notify_auth', 'scheme'], msg: expect.stringContaining('scheme must be none') },
        ],
      },
    });
  },
);

test('of a file that was changed or taken away since, the fetched attachment tells', async () => {
  const file = join(agents.alice.session.folder, 'changing.md');
  writeFileSync(file, 'before');
  const message_ref = await toBob('a changing file', { attachments: [{ path: file }] });
  const [{ attachment_id }] = (await agents.bob.mail('peek', { message_ref })).body.message.attachments;
  const fetch = () => agents.bob.mail('attachment', { message_ref, attachment_id });
  expect((await fetch()).body).toMatchObject({ path: file, unchanged: true, size_bytes: 6 });
  writeFileSync(file, 'afterwards');
  expect((await fetch()).body).toMatchObject({ path: file, unchanged: false, size_bytes: 10 });
  rmSync(file);
  const gone = await fetch();
  expect(gone).toMatchObject({
    status: 502,
    body: { detail: expect.stringMatching(/changing\.md cannot be read \(ENOENT\)/) },
  });
  expect(gone.headers.get('x-houmao-error-code')).toBe('mailbox_failed');
});

test('a damaged message is named with its file, left out and left alone', async () => {
  const ref = await toBob('to be damaged');
  await agents.bob.mail('move', { message_refs: [ref], destination_box: 'damaged' });
  const id = ref.slice('filesystem:'.length);
  const day = readdirSync(join(agents.root, 'messages')).find((name) =>
    existsSync(join(agents.root, 'messages', name, `${id}.md`)),
  )!;
  const file = join(agents.root, 'messages', day, `${id}.md`);
  writeFileSync(file, 'rubbish');
  const { body } = await agents.bob.mail('list', { box: 'damaged' });
  expect(body).toMatchObject({
    message_count: 0,
    damaged: [{ message_ref: ref, detail: expect.stringContaining(file) }],
  });
  expect(await agents.bob.mail('peek', { message_ref: ref })).toMatchObject({ status: 502 });
});

test('a note of the operator is answered to the operator', async () => {
  const { bob } = agents;
  const note = await bob.mail('post', { subject: 'resume', body_content: 'go on' });
  expect(note.body).toMatchObject({
    operation: 'post',
    message: { box: 'inbox', read: false, sender: { address: 'HOUMAO-operator@houmao.localhost' } },
  });
  const reply = await bob.mail('reply', {
    message_ref: note.body.message.message_ref,
    body_content: 'I do',
  });
  expect(reply.body.message.to).toMatchObject([{ address: 'HOUMAO-operator@houmao.localhost' }]);
});

test.each([
  ['an unknown recipient', { to: ['nobody@houmao.localhost'] }, 'nobody@houmao.localhost has no mailbox'],
  ['a short name', { to: ['bob'] }, 'is bob@houmao.localhost meant?'],
  ['a file that is not there', { attachments: [{ path: '/no/such/file' }] }, 'attachments[0].path'],
])('%s leaves nothing in the root', async (_what, mail, words) => {
  const before = readdirSync(join(agents.root, 'messages'), { recursive: true }).length;
  const to = [agents.bob.address];
  const answer = await agents.alice.mail('send', { to, subject: 's', body_content: '', ...mail });
  expect(answer).toMatchObject({ status: 502, body: { detail: expect.stringContaining(words) } });
  expect(readdirSync(join(agents.root, 'messages'), { recursive: true })).toHaveLength(before);
  expect(readdirSync(join(agents.root, 'staging'))).toEqual([]);
});
