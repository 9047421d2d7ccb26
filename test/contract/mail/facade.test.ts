import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mailOf, openRoot, send } from '../../support/mail/mail-root.js';
import { twoMailAgents } from './two-agents.js';

const agents = twoMailAgents();

/** Sends a message from Alice to Bob. @returns its reference. */
async function toBob(subject: string, more: object = {}): Promise<string> {
  const { alice, bob } = agents;
  const sent = await alice.mail('send', {
    to: [bob.address],
    subject,
    body_content: `of ${subject}`,
    ...more,
  });
  expect(sent.status).toBe(200);
  return sent.body.message.message_ref;
}

const subjects = async (body: object): Promise<string[]> =>
  (await agents.bob.mail('list', body)).body.messages.map(({ subject }: { subject: string }) => subject);

test('the status names the mailbox', async () => {
  const { status, body } = await agents.alice.mail('status');
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      ...{ schema_version: 1, transport: 'filesystem', principal_id: 'HOUMAO-alice' },
      ...{ address: 'alice@houmao.localhost', bindings_version: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/) },
    },
  });
});

describe('a message', () => {
  test('is in the box sent of its sender, read, and unread in the inbox of its recipient', async () => {
    const { alice, bob } = agents;
    const sent = await alice.mail('send', {
      ...{
        to: [` ${bob.address} `],
        cc: [alice.address],
        subject: '  hello  ',
        body_content: 'first\r\nsecond',
      },
    });
    expect(sent.body).toMatchObject({
      ...{ operation: 'send', transport: 'filesystem', address: alice.address },
      message: {
        subject: 'hello',
        box: 'inbox',
        read: false,
        body_text: 'first\nsecond',
        body_preview: 'first second',
      },
    });
    const ref = sent.body.message.message_ref;
    const peeked = await bob.mail('peek', { message_ref: ref });
    expect(peeked.body).toMatchObject({
      operation: 'peek',
      message: {
        ...{ box: 'inbox', read: false, unread: true, answered: false, archived: false },
        ...{ sender: { address: alice.address, principal_id: 'HOUMAO-alice', display_name: null } },
        ...{
          to: [{ address: bob.address }],
          cc: [{ address: alice.address }],
          reply_to: [],
          notify_block: null,
        },
      },
    });
    const elsewhere = await bob.mail('read', { message_ref: ref, box: 'sent' });
    expect([elsewhere.status, elsewhere.headers.get('x-houmao-error-code')]).toEqual([502, 'mailbox_failed']);
    expect((await bob.mail('peek', { message_ref: ref })).body.message.read).toBe(false);
    expect((await bob.mail('read', { message_ref: ref, box: 'inbox' })).body.message).toMatchObject({
      read: true,
    });
    expect((await alice.mail('peek', { message_ref: ref })).body.message.read).toBe(false);
  });

  test('is answered to its sender, and is answered and read from then on', async () => {
    const { alice, bob } = agents;
    const parent = await toBob('a question');
    const reply = await bob.mail('reply', { message_ref: parent, body_content: 'an answer' });
    expect(reply.body.message).toMatchObject({
      ...{ subject: 'Re: a question', box: 'sent', thread_ref: parent, to: [{ address: alice.address }] },
    });
    expect((await bob.mail('peek', { message_ref: parent })).body.message).toMatchObject({
      ...{ read: true, answered: true, archived: false, box: 'inbox' },
    });
    const got = await alice.mail('peek', { message_ref: reply.body.message.message_ref });
    expect(got.body.message).toMatchObject({ box: 'inbox', read: false, subject: 'Re: a question' });
  });

  test('is moved, archived and marked, all of them or none', async () => {
    const { bob } = agents;
    const refs = [await toBob('one'), await toBob('two')];
    const archived = await bob.mail('archive', { message_refs: refs });
    expect(archived.body).toMatchObject({
      ...{ operation: 'archive', message_count: 2 },
      messages: [{ subject: 'one', box: 'archive', read: true, archived: true }, { subject: 'two' }],
    });
    const unknown = `filesystem:msg-20200101T000000Z-${'0'.repeat(32)}`;
    const half = await bob.mail('mark', { message_refs: [refs[0], unknown], read: false });
    expect(half).toMatchObject({
      status: 502,
      body: { detail: expect.stringContaining('msg-20200101T000000Z') },
    });
    expect((await bob.mail('peek', { message_ref: refs[0] })).body.message.read).toBe(true);
    const back = await bob.mail('mark', { message_refs: refs, archived: false, read: false, answered: true });
    expect(back.body.messages).toMatchObject([
      ...Array.from({ length: 2 }, () => ({ box: 'inbox', read: false, answered: true, archived: false })),
    ]);
    const moved = await bob.mail('move', { message_refs: refs, destination_box: ' Später ' });
    expect(moved.body).toMatchObject({ operation: 'move', messages: [{ box: 'Später' }, { box: 'Später' }] });
    expect((await bob.mail('move', { message_refs: refs, destination_box: '../x' })).status).toBe(502);
    expect(await subjects({ box: 'Später' })).toEqual(expect.arrayContaining(['one', 'two']));
  });

  test('carries files by reference', async () => {
    const file = join(agents.alice.session.folder, 'report.md');
    writeFileSync(file, 'a report');
    const ref = await toBob('a file', { attachments: [{ path: file }, { path: file, label: 'again' }] });
    const { attachments } = (await agents.bob.mail('peek', { message_ref: ref })).body.message;
    expect(attachments).toMatchObject([
      { kind: 'path_ref', locator: file, media_type: 'text/markdown', size_bytes: 8, label: 'report.md' },
      { label: 'again' },
    ]);
  });
});

test('a list is newest first, filtered, and counts what it shows', async () => {
  const { bob } = agents;
  const refs = [];
  for (const [subject, second] of [
    ['l2', 2],
    ['l1', 1],
    ['l3', 3],
  ] as const) {
    const { messageId } = await send(
      openRoot(agents.root),
      mailOf('alice', ['bob'], { subject }, new Date(Date.UTC(2026, 0, 1, 0, 0, second))),
    );
    refs.push(`filesystem:${messageId}`);
  }
  await bob.mail('move', { message_refs: refs, destination_box: 'listed' });
  await bob.mail('read', { message_ref: refs[0] });
  const all = await bob.mail('list', { box: 'listed', include_body: true });
  expect(all.body).toMatchObject({ box: 'listed', message_count: 3, open_count: 3, unread_count: 2 });
  expect(all.body.damaged).toBeUndefined();
  expect(all.body.messages[0].body_text).toBe('Hello.\n');
  expect(await subjects({ box: 'listed' })).toEqual(['l3', 'l2', 'l1']);
  expect(await subjects({ box: 'listed', read_state: 'read' })).toEqual(['l2']);
  expect(await subjects({ box: 'listed', limit: 2 })).toEqual(['l3', 'l2']);
  expect((await bob.mail('list', { box: 'listed' })).body.messages[0].body_text).toBeNull();
  const { created_at_utc: since } = all.body.messages[1];
  expect(await subjects({ box: 'listed', since })).toEqual(['l3', 'l2']);
  expect((await bob.mail('list', { box: 'nothing here' })).body).toMatchObject({
    message_count: 0,
    messages: [],
  });
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

describe('a note of the operator', () => {
  test('is in the inbox, unread, and is answered to the operator', async () => {
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

  test('that takes no replies is not answered', async () => {
    const { bob } = agents;
    const note = await bob.mail('post', { subject: 'fyi', body_content: '', reply_policy: 'none' });
    const reply = await bob.mail('reply', {
      message_ref: note.body.message.message_ref,
      body_content: 'but',
    });
    expect(reply).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('operator-origin') },
    });
  });
});

describe('an Idempotency-Key', () => {
  test('delivers once, also after a restart, and says so', async () => {
    const { alice, bob } = agents;
    const mail = { to: [bob.address], subject: 'once', body_content: '' };
    const key = { 'Idempotency-Key': 'send-once' };
    const first = await alice.mail('send', mail, key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    await alice.restart();
    const again = await alice.mail('send', mail, key);
    expect(again.body.message.message_ref).toBe(first.body.message.message_ref);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await subjects({})).filter((subject) => subject === 'once')).toHaveLength(1);
  });

  test('delivers once when both calls come at once', async () => {
    const { alice, bob } = agents;
    const mail = { to: [bob.address], subject: 'at once', body_content: '' };
    const key = { 'Idempotency-Key': 'send-at-once' };
    const answers = await Promise.all([alice.mail('send', mail, key), alice.mail('send', mail, key)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.message.message_ref)).size).toBe(1);
    expect((await subjects({})).filter((subject) => subject === 'at once')).toHaveLength(1);
  });

  test('belongs to one body and one operation', async () => {
    const { alice, bob } = agents;
    const key = { 'Idempotency-Key': 'send-other' };
    const mail = { subject: 'one', body_content: '' };
    await alice.mail('post', mail, key);
    for (const [operation, body] of [
      ['post', { ...mail, subject: 'other' }],
      ['send', { ...mail, to: [bob.address] }],
    ] as const)
      expect(await alice.mail(operation, body, key)).toMatchObject({
        status: 422,
        body: { detail: 'Idempotency-Key was used before with another body or mailbox.' },
      });
  });
});

describe('is refused, and nothing is delivered:', () => {
  const to = ['bob@houmao.localhost'];
  test.each([
    [
      'an unknown recipient',
      { to: ['nobody@houmao.localhost'] },
      502,
      'nobody@houmao.localhost has no mailbox',
    ],
    ['a short name', { to: ['bob'] }, 502, 'is bob@houmao.localhost meant?'],
    ['a file that is not there', { attachments: [{ path: '/no/such/file' }] }, 502, 'attachments[0].path'],
    [
      'a relative file',
      { attachments: [{ path: 'file' }] },
      422,
      'attachments[0].path must be an absolute path.',
    ],
    [
      'a subject of two lines',
      { subject: 'a\nb' },
      422,
      'subject must not contain control characters or line breaks.',
    ],
    ['a scheme that is only reserved', { notify_auth: { scheme: 'jws' } }, 422, null],
  ])('%s', async (_what, mail, status, words) => {
    const before = readdirSync(join(agents.root, 'messages'), { recursive: true }).length;
    const answer = await agents.alice.mail('send', { to, subject: 's', body_content: '', ...mail });
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toEqual(words === null ? expect.any(Array) : expect.stringContaining(words));
    expect(readdirSync(join(agents.root, 'messages'), { recursive: true })).toHaveLength(before);
    expect(readdirSync(join(agents.root, 'staging'))).toEqual([]);
  });

  test('a reference that names no message, or another transport', async () => {
    const { bob } = agents;
    expect(await bob.mail('peek', { message_ref: 'nonsense' })).toMatchObject({
      ...{ status: 422, body: { detail: 'message_ref "nonsense" names no message.' } },
    });
    expect((await bob.mail('peek', { message_ref: 'stalwart:abc' })).status).toBe(502);
    const others = await agents.alice.mail('post', { subject: 'for Alice', body_content: '' });
    const { message_ref } = others.body.message;
    expect((await bob.mail('peek', { message_ref })).status).toBe(502);
    expect((await bob.mail('reply', { message_ref, body_content: '' })).status).toBe(502);
  });
});
