import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveMail, updateStates } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { parseBoxName } from '../../../../../src/mail/message/names.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import { addressOf, listOf, mailOf, newRoot, send, subjectsOf } from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const nameOf = (name: string) => ({ address: addressOf(name), principalId: `HOUMAO-${name}` });
const databaseOf = (root: MailRoot, name: string) =>
  root.database(join(root.paths.mailboxes, addressOf(name)));
const boxesOnDisk = (root: MailRoot, name: string): string[] =>
  readdirSync(join(root.paths.mailboxes, addressOf(name)), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: box }) => readdirSync(join(root.paths.mailboxes, addressOf(name), box)).map(() => box))
    .sort();
const unreadIn = (root: MailRoot, name: string, threadId: string): unknown =>
  databaseOf(root, name)
    .database.prepare<[string], object>(
      'SELECT unread_count, latest_message_id, normalized_subject FROM thread_summaries WHERE thread_id = ?',
    )
    .get(threadId);

test('flags are set as they are given, in one mailbox, and the summary follows', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const { messageId: id, threadId } = await send(
    root,
    mailOf('alice', ['bob', 'carol'], { subject: 'Big PLAN' }),
  );
  expect(unreadIn(root, 'bob', threadId)).toEqual({
    unread_count: 1,
    latest_message_id: id,
    normalized_subject: 'big plan',
  });
  const [row] = await updateStates(root, nameOf('bob'), [id], { read: true, starred: true });
  expect(row).toMatchObject({
    is_read: 1,
    is_answered: 0,
    is_starred: 1,
    is_archived: 0,
    is_deleted: 0,
    box_name: 'inbox',
  });
  expect(unreadIn(root, 'bob', threadId)).toMatchObject({ unread_count: 0 });
  await updateStates(root, nameOf('bob'), [id], {
    read: false,
    answered: true,
    archived: true,
    deleted: true,
  });
  expect((await listOf(root, 'bob')).items[0]?.state).toMatchObject({
    is_read: 0,
    is_answered: 1,
    is_archived: 1,
    is_deleted: 1,
  });
  expect((await listOf(root, 'carol')).items[0]?.state).toMatchObject({ is_read: 0, is_answered: 0 });
  expect(boxesOnDisk(root, 'bob')).toEqual(['inbox']);
});

test('a missing row is made from the boxes first', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob']));
  const { database, states } = databaseOf(root, 'bob');
  database.transact(() => states.delete(messageId));
  expect(await updateStates(root, nameOf('bob'), [messageId], { answered: true })).toMatchObject([
    { box_name: 'inbox', is_read: 0, is_answered: 1 },
  ]);
});

test('a message moves with its link and its row; the archive counts as read', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId, threadId } = await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  await moveMail(root, nameOf('bob'), [messageId], { box: 'later' });
  expect([await subjectsOf(root, 'bob'), await subjectsOf(root, 'bob', 'later')]).toEqual([[], ['Plan']]);
  expect(boxesOnDisk(root, 'bob')).toEqual(['later']);
  expect((await listOf(root, 'bob', { box: 'later' })).items[0]?.state).toMatchObject({
    is_read: 0,
    is_archived: 0,
  });
  const moved = await moveMail(root, nameOf('bob'), [messageId], {
    box: 'archive',
    flags: { answered: true },
  });
  expect(moved).toMatchObject([{ box_name: 'archive', is_read: 1, is_archived: 1, is_answered: 1 }]);
  expect(unreadIn(root, 'bob', threadId)).toMatchObject({ unread_count: 0 });
  const back = await moveMail(root, nameOf('bob'), [messageId], { box: 'inbox' });
  expect(back).toMatchObject([{ box_name: 'inbox', is_read: 1, is_archived: 0, is_answered: 1 }]);
  expect(boxesOnDisk(root, 'bob')).toEqual(['inbox']);
  expect(await subjectsOf(root, 'alice', 'sent')).toEqual(['Plan']);
  checkConsistent(root);
});

test('who sends to itself has it once, unread in the inbox; the archive takes both links', async () => {
  const root = await newRoot(['alice']);
  const { messageId } = await send(root, mailOf('alice', ['alice'], { subject: 'Note' }));
  expect([await subjectsOf(root, 'alice'), await subjectsOf(root, 'alice', 'sent')]).toEqual([['Note'], []]);
  expect((await listOf(root, 'alice')).items[0]?.state).toMatchObject({ is_read: 0, box_name: 'inbox' });
  expect(boxesOnDisk(root, 'alice')).toEqual(['inbox', 'sent']);
  await moveMail(root, nameOf('alice'), [messageId], { box: 'archive' });
  expect(boxesOnDisk(root, 'alice')).toEqual(['archive']);
  checkConsistent(root);
});

test('all of the messages are changed or none', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const { messageId: his } = await send(root, mailOf('alice', ['bob'], { subject: 'His' }));
  const { messageId: hers } = await send(root, mailOf('alice', ['carol']));
  const unknown = his.replace(/.{32}$/, '0'.repeat(32));
  for (const ids of [
    [his, hers],
    [his, unknown],
  ]) {
    await expect(moveMail(root, nameOf('bob'), ids, { box: 'later' })).rejects.toMatchObject({
      code: 'message_unknown',
    });
    await expect(updateStates(root, nameOf('bob'), ids, { read: true })).rejects.toMatchObject({
      code: 'message_unknown',
    });
  }
  expect((await listOf(root, 'bob')).items).toMatchObject([{ state: { is_read: 0 } }]);
  expect(boxesOnDisk(root, 'bob')).toEqual(['inbox']);
});

test('what stands in the way of a link is left, and the others go back', async () => {
  const root = await newRoot(['alice', 'bob']);
  const first = await send(root, mailOf('alice', ['bob']));
  const second = await send(root, mailOf('alice', ['bob']));
  const later = join(root.paths.mailboxes, addressOf('bob'), 'later');
  mkdirSync(later);
  writeFileSync(join(later, `${second.messageId}.md`), 'of somebody');
  const attempt = moveMail(root, nameOf('bob'), [first.messageId, second.messageId], { box: 'later' });
  await expect(attempt).rejects.toMatchObject({ code: 'mailbox_damaged' });
  expect(readdirSync(later)).toEqual([`${second.messageId}.md`]);
  expect((await listOf(root, 'bob')).items).toHaveLength(2);
});

test('a box that is a link leads nowhere', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob']));
  const outside = temporaryFolder();
  symlinkSync(outside, join(root.paths.mailboxes, addressOf('bob'), 'later'));
  await expect(moveMail(root, nameOf('bob'), [messageId], { box: 'later' })).rejects.toMatchObject({
    code: 'mailbox_damaged',
  });
  expect(readdirSync(outside)).toEqual([]);
});

test('a row of the index that names a place outside of the mailbox removes nothing there', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob']));
  const outside = join(root.paths.root, `${messageId}.md`);
  symlinkSync('/nowhere', outside);
  const { registration_id } = root.index.registrations.active(addressOf('bob'))!;
  root.index.projections.put({
    registration_id,
    message_id: messageId,
    folder_name: '../..',
    projection_path: outside,
  });
  await moveMail(root, nameOf('bob'), [messageId], { box: 'later' });
  expect(lstatSync(outside).isSymbolicLink()).toBe(true);
  rmSync(outside);
});

test('another principal changes nothing', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob']));
  const thief = { address: addressOf('bob'), principalId: 'HOUMAO-eve' };
  await expect(updateStates(root, thief, [messageId], { read: true })).rejects.toMatchObject({
    code: 'owner_differs',
  });
  await expect(moveMail(root, thief, [messageId], { box: 'x' })).rejects.toMatchObject({
    code: 'owner_differs',
  });
  expect(existsSync(join(root.paths.mailboxes, addressOf('bob'), 'x'))).toBe(false);
});

test('any name of one folder is a box; upper and lower case differ', () => {
  for (const name of ['archive', 'ARCHIVE', ' later ', 'Zu erledigen', '...', 'a\\b', '😀'])
    expect(parseBoxName(name, 'b')).toBe(name.trim());
  for (const name of [
    '',
    ' ',
    '.',
    '..',
    'a/b',
    '/',
    'a\0',
    'a\nb',
    'a\u001b[2J',
    'mailbox.sqlite',
    'mailbox.sqlite-journal',
    'x'.repeat(256),
    '\ud800',
  ])
    expect(() => parseBoxName(name, 'destination_box')).toThrow(
      expect.objectContaining({ field: 'destination_box' }),
    );
});
