import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import { moveMail, updateStates } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
import { recoverLeft } from '../../../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../../../src/mail/filesystem/registration/bootstrap.js';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { repairRoot } from '../../../../../src/mail/filesystem/repair/repair.js';
import { operator } from '../../../../../src/mail/message/operator-message.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import {
  addressOf,
  listOf,
  mailOf,
  newRoot,
  openRoot,
  registerName,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const nameOf = (name: string) => ({ address: addressOf(name), principalId: `HOUMAO-${name}` });
const repair = (root: MailRoot) => repairRoot(root, { staging: 'quarantine' });

async function livedIn(): Promise<MailRoot> {
  const root = await newRoot(['alice', 'bob', 'carol']);
  await registerName(root, 'eve', { kind: 'symlink', mailboxPath: join(temporaryFolder(), 'private') });
  const archived = await send(root, mailOf('alice', ['bob', 'eve'], { subject: 'archived' }));
  const read = await send(root, mailOf('alice', ['bob'], { subject: 'read' }));
  await moveMail(root, nameOf('bob'), [archived.messageId], { box: 'archive' });
  await updateStates(root, nameOf('bob'), [read.messageId], { read: true });
  return root;
}

function runOn(root: MailRoot, sql: string): void {
  root.close();
  const database = openDatabase(root.paths.index);
  database.exec(sql);
  database.close();
}

const nothing = 'DELETE FROM mailbox_registrations; DELETE FROM messages; DELETE FROM thread_summaries;';

test.each([
  ['empty, as a failed repair of the older implementation leaves it', nothing],
  [
    'that `init` made where it was gone',
    `DELETE FROM mailbox_registrations WHERE address != '${operator.address}'; DELETE FROM messages;`,
  ],
  ['that lost its registrations alone', 'DELETE FROM mailbox_registrations;'],
])('an index %s gets its mailboxes back, with their mail and flags', async (_, sql) => {
  const root = await livedIn();
  runOn(root, sql);
  expect(await repair(root)).toMatchObject({
    messageCount: 2,
    registrationCount: 5,
    projectionCount: 5,
    restoredStateCount: 5,
    defaultedStateCount: 0,
    backedUpIndex: null,
    damaged: [],
  });
  checkConsistent(root);
  expect(root.index.registrations.active(addressOf('carol'))).toMatchObject({
    owner_principal_id: 'HOUMAO-carol',
  });
  expect((await listOf(root, 'bob')).items).toMatchObject([{ state: { subject: 'read', is_read: 1 } }]);
  expect(await subjectsOf(root, 'bob', 'archive')).toEqual(['archived']);
  expect(await subjectsOf(root, 'eve')).toEqual(['archived']);
});

test('one row that was lost comes back; the folder of a registration that did not come to its end does not', async () => {
  const root = await livedIn();
  mkdirSync(join(root.paths.mailboxes, addressOf('unfinished'), 'inbox'), { recursive: true });
  runOn(root, `DELETE FROM mailbox_registrations WHERE address = '${addressOf('bob')}'`);
  await repair(root);
  checkConsistent(root);
  expect(root.index.registrations.ofAddress(addressOf('unfinished'))).toEqual([]);
  expect((await listOf(root, 'bob')).items).toMatchObject([{ state: { is_read: 1 } }]);
});

/** Moves a mailbox to where one waits whose place is taken. */
function displace(root: MailRoot, name: string): string {
  const row = root.index.registrations.active(addressOf(name))!;
  const waiting = join(root.paths.staging, `displaced-${row.registration_id}`);
  renameSync(row.mailbox_path, waiting);
  return waiting;
}

test('a mailbox that waits is never removed because its row was lost', async () => {
  const root = await livedIn();
  const waiting = displace(root, 'bob');
  runOn(root, nothing);
  await recoverLeft(root, { addresses: [addressOf('bob')], index: true });
  await repairRoot(root, { staging: 'leave' });
  expect(existsSync(join(waiting, 'mailbox.sqlite'))).toBe(true);
  utimesSync(waiting, 0, 0);
  const { stagingPaths } = await repairRoot(root, { staging: 'remove' });
  expect(stagingPaths).toEqual([waiting]);
  const [stamp = ''] = readdirSync(root.paths.quarantine);
  const [name = ''] = readdirSync(join(root.paths.quarantine, stamp));
  expect(existsSync(join(root.paths.quarantine, stamp, name, 'mailbox.sqlite'))).toBe(true);
});

test('a mailbox that waits never takes the place of one that is used', async () => {
  const root = await livedIn();
  const waiting = displace(root, 'bob');
  await registerName(root, 'bob', { mode: 'force', ownerPrincipalId: 'HOUMAO-second' });
  // Once the row that replaced it is gone, nothing tells any more that it was replaced.
  await deregister(root, addressOf('bob'), 'purge');
  await registerName(root, 'bob', { mode: 'force', ownerPrincipalId: 'HOUMAO-third' });
  const first = root.index.registrations
    .ofAddress(addressOf('bob'))
    .find(({ status }) => status !== 'active')!;
  root.index.registrations.update({ ...first, replaced_by_registration_id: null });
  await recoverLeft(root, { addresses: [addressOf('bob')], index: true });
  expect(existsSync(waiting)).toBe(true);
  const active = root.index.registrations.active(addressOf('bob'))!;
  expect(existsSync(join(active.mailbox_path, 'mailbox.sqlite'))).toBe(true);
  expect(root.database(active.mailbox_path).states.all()).toEqual([]);
});

test('no root is made over mailboxes whose index is gone or empty, and a repair opens the way', async () => {
  const root = await livedIn();
  root.close();
  rmSync(root.paths.index);
  const again = openRoot(root.paths.root);
  await expect(bootstrap(again)).rejects.toMatchObject({
    code: 'mailbox_damaged',
    message: expect.stringContaining('mailbox repair'),
  });
  expect(existsSync(root.paths.index)).toBe(false);
  writeFileSync(root.paths.index, '');
  await expect(bootstrap(again)).rejects.toMatchObject({ code: 'mailbox_damaged' });
  await repair(again);
  await bootstrap(again);
  checkConsistent(again);
  expect(await subjectsOf(again, 'bob', 'archive')).toEqual(['archived']);
});
