import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { moveMail } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import { stage } from '../../../../../src/mail/filesystem/mailbox/deliver.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { recoverLeft } from '../../../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../../../src/mail/filesystem/registration/bootstrap.js';
import { repairRoot } from '../../../../../src/mail/filesystem/repair/repair.js';
import { canonicalPath } from '../../../../../src/mail/filesystem/root/mail-paths.js';
import { renderDocument } from '../../../../../src/mail/message/document.js';
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
import { VirtualClock } from '../../../../support/virtual-clock.js';

const repair = (root: MailRoot) => repairRoot(root, { staging: 'leave' });
const mailboxOf = (root: MailRoot, name: string): string => join(root.paths.mailboxes, addressOf(name));
const garbage = 'no database at all, but long enough to be looked at closely'.repeat(20);

async function withMail(): Promise<{ root: MailRoot; path: string; messageId: string }> {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  return { root, messageId, path: root.index.messages.place(messageId)!.canonical_path };
}

test('messages of a day whose folder is a link are reported and stay known', async () => {
  const { root, path, messageId } = await withMail();
  await moveMail(root, { address: addressOf('bob'), principalId: null }, [messageId], { box: 'later' });
  const day = dirname(path);
  const elsewhere = join(temporaryFolder(), 'day');
  renameSync(day, elsewhere);
  symlinkSync(elsewhere, day);
  const { damaged, messageCount, forgotten } = await repair(root);
  expect(damaged).toEqual([{ path: day, reason: expect.stringContaining('is a link') }]);
  expect([messageCount, forgotten]).toEqual([1, []]);
  rmSync(day);
  renameSync(elsewhere, day);
  await repair(root);
  checkConsistent(root);
  expect(await subjectsOf(root, 'bob', 'later')).toEqual(['Plan']);
});

test('a folder of messages that is empty, as one that is not mounted, makes nobody forget them', async () => {
  const { root, path } = await withMail();
  const elsewhere = join(temporaryFolder(), 'messages');
  renameSync(root.paths.messages, elsewhere);
  await expect(repair(openRoot(root.paths.root))).rejects.toMatchObject({
    code: 'mailbox_damaged',
    message: expect.stringContaining(root.paths.messages),
  });
  rmSync(root.paths.messages, { recursive: true });
  renameSync(elsewhere, root.paths.messages);
  await repair(root);
  checkConsistent(root);
  rmSync(path);
  expect(await repair(root)).toMatchObject({ messageCount: 0, forgotten: [path], damaged: [] });
});

test('a message that names one attachment twice stops neither a repair nor a recovery', async () => {
  const { root } = await withMail();
  const file = { attachmentId: 'att-1', kind: 'path_ref' as const, path: '/x', mediaType: 'text/plain' };
  const attachment = { ...file, sha256: null, sizeBytes: null, label: null };
  const message = mailOf('alice', ['bob'], { subject: 'Twice', attachments: [attachment, attachment] });
  const path = canonicalPath(root.paths, message);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(stage(root.paths, renderDocument(message)), path);
  await recoverLeft(root, { addresses: [addressOf('alice'), addressOf('bob')], index: true });
  await repair(root);
  checkConsistent(root);
  expect((await subjectsOf(root, 'bob')).sort()).toEqual(['Plan', 'Twice']);
  expect(root.index.messages.attachments(message.messageId)).toHaveLength(1);
});

test('a mailbox that cannot be looked at is reported and stays as it is, and the others are repaired', async () => {
  const { root } = await withMail();
  const [disk, inside] = [temporaryFolder(), 'mail'];
  await registerName(root, 'aaa', { kind: 'symlink', mailboxPath: join(disk, inside) });
  rmSync(disk, { recursive: true });
  symlinkSync(disk, disk);
  const bob = root.database(mailboxOf(root, 'bob'));
  bob.database.transact(() => bob.states.deleteAll());
  const { damaged, defaultedStateCount } = await repair(root);
  expect(damaged.map(({ path }) => path)).toEqual([mailboxOf(root, 'aaa')]);
  expect([defaultedStateCount, await subjectsOf(root, 'bob')]).toEqual([1, ['Plan']]);
  expect(root.index.registrations.active(addressOf('aaa'))).toBeDefined();
  rmSync(disk);
});

test('a mailbox that waits and cannot be put back stops no repair', async () => {
  const { root } = await withMail();
  await registerName(root, 'bob', { mode: 'stash', ownerPrincipalId: 'HOUMAO-second' });
  const stashed = root.index.registrations
    .ofAddress(addressOf('bob'))
    .find(({ status }) => status === 'stashed')!;
  mkdirSync(join(root.paths.staging, `displaced-${stashed.registration_id}`, 'inbox'), { recursive: true });
  expect(await repair(root)).toMatchObject({ messageCount: 1, damaged: [] });
});

test('a damaged mailbox stops no bootstrap, and a repair keeps its database aside', async () => {
  const { root } = await withMail();
  root.close();
  writeFileSync(join(mailboxOf(root, 'bob'), 'mailbox.sqlite'), garbage);
  const again = openRoot(root.paths.root);
  await bootstrap(again);
  await registerName(again, 'carol');
  await repair(again);
  checkConsistent(again);
  expect(await subjectsOf(again, 'bob')).toEqual(['Plan']);
});

test('what is kept aside in one second does not replace each other', async () => {
  const root = await newRoot(['alice'], new VirtualClock('2026-01-01T00:00:00Z'));
  for (const text of ['first', 'second']) {
    root.close();
    writeFileSync(root.paths.index, `${text} ${garbage}`);
    writeFileSync(join(mailboxOf(root, 'alice'), 'mailbox.sqlite'), `${text} ${garbage}`);
    await repair(root);
  }
  const kept = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.bak'));
  expect([kept(root.paths.root), kept(mailboxOf(root, 'alice'))]).toEqual([
    ['index.sqlite.unusable-20260101T000000Z-1.bak', 'index.sqlite.unusable-20260101T000000Z.bak'],
    [
      'mailbox.sqlite.local-unusable-20260101T000000Z-1.bak',
      'mailbox.sqlite.local-unusable-20260101T000000Z.bak',
    ],
  ]);
});
