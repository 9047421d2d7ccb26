import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { clearMessages } from '../../../../../src/mail/filesystem/admin/clear-messages.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import {
  addressOf,
  mailOf,
  newRoot,
  openRoot,
  registerName,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

/** The copy that a file manager makes of a root: links stay links, and lead to where they led. */
function copied(root: MailRoot): MailRoot {
  const path = join(temporaryFolder(), 'copy');
  cpSync(root.paths.root, path, { recursive: true, verbatimSymlinks: true });
  return openRoot(path);
}

test('clearing a copied root leaves the original and its private mailboxes as they are', async () => {
  const root = await newRoot(['alice', 'bob']);
  const folder = join(temporaryFolder(), 'private');
  await registerName(root, 'eve', { kind: 'symlink', mailboxPath: folder });
  await send(root, mailOf('alice', ['bob', 'eve'], { subject: 'Plan' }));
  const { items } = await clearMessages(copied(root), false);
  checkConsistent(root);
  for (const [name, box] of [['bob'], ['eve'], ['alice', 'sent']] as const)
    expect(await subjectsOf(root, name, box)).toEqual(['Plan']);
  const left = items.filter(({ goes }) => !goes).map(({ path }) => path);
  expect(left).toContain(join(folder, 'mailbox.sqlite'));
  expect(left).toContain(join(root.paths.mailboxes, addressOf('bob'), 'mailbox.sqlite'));
});

test('a row of the index that leads out of its mailbox removes nothing there', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob']));
  const outside = temporaryFolder();
  symlinkSync('nothing', join(outside, 'mine.md'));
  const { registration_id, mailbox_path } = root.index.registrations.active(addressOf('bob'))!;
  const row = { registration_id, message_id: messageId };
  root.index.projections.put({
    ...row,
    folder_name: 'inbox',
    projection_path: `${mailbox_path}/${relative(mailbox_path, join(outside, 'mine.md'))}`,
  });
  root.index.projections.put({ ...row, folder_name: `../../../${outside}`, projection_path: 'x' });
  root.index.projections.put({ ...row, folder_name: 'later', projection_path: join(outside, 'mine.md') });
  await clearMessages(root, false);
  expect(readdirSync(outside)).toEqual(['mine.md']);
  checkConsistent(root);
  expect(root.index.messages.ids()).toEqual([]);
});

test('a private mailbox forgets messages of this root alone', async () => {
  const folder = join(temporaryFolder(), 'private');
  const [first, second] = [await newRoot(['alice']), await newRoot(['bob'])];
  await registerName(first, 'eve', { kind: 'symlink', mailboxPath: folder });
  await send(first, mailOf('alice', ['eve'], { subject: 'in the first root' }));
  await deregister(first, addressOf('eve'), 'deactivate');
  await registerName(second, 'eve', { kind: 'symlink', mailboxPath: folder });
  await send(second, mailOf('bob', ['eve'], { subject: 'in the second root' }));
  await clearMessages(first, false);
  expect(await subjectsOf(second, 'eve')).toEqual(['in the second root']);
  expect(first.database(folder).states.all()).toHaveLength(1);
  expect(readdirSync(join(folder, 'inbox'))).toHaveLength(1);
});

test('an entry in the place of a link is reported and left', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob']));
  const later = join(root.paths.mailboxes, addressOf('bob'), 'later');
  mkdirSync(later);
  writeFileSync(join(later, `${messageId}.md`), 'a note');
  const { registration_id } = root.index.registrations.active(addressOf('bob'))!;
  root.index.projections.put({
    registration_id,
    message_id: messageId,
    folder_name: 'later',
    projection_path: 'x',
  });
  const { items } = await clearMessages(root, false);
  expect(items.filter(({ goes }) => !goes)).toEqual([
    { kind: 'mailbox_projection', path: join(later, `${messageId}.md`), goes: false },
  ]);
  expect(existsSync(join(later, `${messageId}.md`))).toBe(true);
});
