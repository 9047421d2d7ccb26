import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDocument } from '../../../../../src/mail/message/document.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import {
  addressOf,
  listOf,
  mailOf,
  newRoot,
  principalOf,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';

test('a message is in the sent box of its sender and, unread, in the inbox of each recipient', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const message = await send(root, mailOf('alice', ['bob', 'carol'], { subject: 'Plan', body: 'Now.' }));
  const file = join(root.paths.messages, message.createdAtUtc.slice(0, 10), `${message.messageId}.md`);
  expect(parseDocument(readFileSync(file, 'utf8'))).toEqual(message);
  for (const [name, box, read] of [
    ['alice', 'sent', 1],
    ['bob', 'inbox', 0],
    ['carol', 'inbox', 0],
  ] as const) {
    const { items, damaged } = await listOf(root, name, { box });
    expect(items).toMatchObject([{ message, state: { box_name: box, is_read: read, is_archived: 0 } }]);
    expect(damaged).toEqual([]);
    const link = join(root.paths.mailboxes, addressOf(name), box, `${message.messageId}.md`);
    expect(readlinkSync(link)).toBe(file);
  }
  expect(await subjectsOf(root, 'alice')).toEqual([]);
  expect(readdirSync(root.paths.staging)).toEqual([]);
  expect(readdirSync(root.paths.addressLocks)).toEqual([]);
  expect(existsSync(join(root.paths.locks, 'index.lock'))).toBe(false);
});

test('messages of one second are listed in the order in which they were written', async () => {
  const root = await newRoot(['alice', 'bob']);
  const begin = Date.parse('2026-03-13T09:15:30.100Z');
  const subjects = ['1', '2', '3', '4', '5', '6', '7', '8'];
  for (const [ms, subject] of subjects.entries())
    await send(root, mailOf('alice', ['bob'], { subject }, new Date(begin + ms)));
  expect(await subjectsOf(root, 'bob')).toEqual([...subjects].reverse());
});

test('the index has the whole document, headers, the order of recipients, and attachments', async () => {
  const root = await newRoot(['alice', 'bob', 'carol', 'dave']);
  const attachment = {
    attachmentId: 'att-0123456789ab',
    kind: 'path_ref' as const,
    path: '/tmp/x',
    mediaType: 'text/plain',
    sha256: '0a'.repeat(32),
    sizeBytes: 3,
    label: 'x',
  };
  const message = await send(
    root,
    mailOf('alice', ['bob', 'carol'], {
      cc: [principalOf('dave')],
      headers: { 'x-b': 'ü', 'x-a': { z: 1, y: [2] } },
      attachments: [attachment],
      subject: ' Plan ',
      body: 'a\r\nb',
    }),
  );
  const rows = (source: string) => root.index.database.prepare<[], Record<string, unknown>>(source).all();
  const registration = (name: string) => root.index.registrations.active(addressOf(name))?.registration_id;
  const { canonical_path: path } = root.index.messages.place(message.messageId) ?? { canonical_path: '' };
  expect(rows('SELECT * FROM messages')).toEqual([
    {
      message_id: message.messageId,
      thread_id: message.messageId,
      in_reply_to: null,
      subject: 'Plan',
      created_at_utc: message.createdAtUtc,
      canonical_path: path,
      body_markdown: readFileSync(path, 'utf8'),
      headers_json: '{"x-a": {"y": [2], "z": 1}, "x-b": "\\u00fc"}',
      sender_principal_id: 'HOUMAO-alice',
      sender_address: addressOf('alice'),
      sender_display_name: null,
      sender_manifest_path_hint: null,
      sender_role: null,
      sender_registration_id: registration('alice'),
    },
  ]);
  expect(
    rows(
      'SELECT recipient_kind, ordinal, address, delivered_registration_id FROM message_recipients ORDER BY ordinal',
    ),
  ).toEqual(
    (['to bob', 'to carol', 'cc dave'] as const).map((each, ordinal) => {
      const [recipient_kind, name = ''] = each.split(' ');
      return {
        recipient_kind,
        ordinal,
        address: addressOf(name),
        delivered_registration_id: registration(name),
      };
    }),
  );
  expect(rows('SELECT * FROM attachments JOIN message_attachments USING (attachment_id)')).toEqual([
    {
      attachment_id: 'att-0123456789ab',
      kind: 'path_ref',
      locator: '/tmp/x',
      media_type: 'text/plain',
      sha256: '0a'.repeat(32),
      size_bytes: 3,
      label: 'x',
      message_id: message.messageId,
      ordinal: 0,
    },
  ]);
  expect(rows('SELECT * FROM thread_summaries')).toEqual([
    {
      thread_id: message.messageId,
      normalized_subject: 'plan',
      latest_message_id: message.messageId,
      latest_message_created_at_utc: message.createdAtUtc,
      unread_count: 0,
    },
  ]);
});

test('an attachment that another message has keeps the message from being delivered, whole', async () => {
  const root = await newRoot(['alice', 'bob']);
  const attachment = {
    attachmentId: 'att-0123456789ab',
    kind: 'path_ref' as const,
    path: '/tmp/x',
    mediaType: 'text/plain',
    sha256: null,
    sizeBytes: null,
    label: null,
  };
  await send(root, mailOf('alice', ['bob'], { attachments: [attachment] }));
  await expect(send(root, mailOf('alice', ['bob'], { attachments: [attachment] }))).rejects.toMatchObject({
    code: 'conflict',
  });
  expect(await listOf(root, 'bob')).toMatchObject({ items: [{}], damaged: [] });
  expect(readdirSync(root.paths.staging)).toEqual([]);
  checkConsistent(root);
});

test('who is not registered, or as another, sends and gets nothing', async () => {
  const root = await newRoot(['alice', 'bob']);
  const eve = { ...principalOf('bob'), principalId: 'HOUMAO-eve' };
  for (const [message, code] of [
    [mailOf('eve', ['bob']), 'not_registered'],
    [mailOf('alice', ['eve']), 'not_registered'],
    [mailOf('alice', ['alice'], { to: [eve] }), 'owner_differs'],
    [mailOf('alice', ['bob'], { from: eve }), 'owner_differs'],
  ] as const)
    await expect(send(root, message)).rejects.toMatchObject({ code });
  expect(await subjectsOf(root, 'bob')).toEqual([]);
  expect(readdirSync(root.paths.messages)).toEqual([]);
});
