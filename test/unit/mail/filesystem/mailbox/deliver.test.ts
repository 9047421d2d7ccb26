import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDocument } from '../../../../../src/mail/message/document.js';
import { addressOf, listOf, mailOf, newRoot, send, subjectsOf } from '../../../../support/mail/mail-root.js';

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
