import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import { moveMail, updateStates } from '../../../../../src/mail/filesystem/mailbox/change-mail.js';
import type { MailRoot } from '../../../../../src/mail/filesystem/mailbox/mail-root.js';
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
const statesOf = (root: MailRoot, name: string) =>
  root
    .database(join(root.paths.mailboxes, addressOf(name)))
    .states.all()
    .sort((a, b) => (a.message_id < b.message_id ? -1 : 1));

/** A root with everything that a repair must not lose. */
async function livedIn() {
  const root = await newRoot(['alice', 'bob', 'carol', 'dave']);
  const sent = [];
  for (const subject of ['archived', 'moved', 'answered', 'untouched'])
    sent.push(await send(root, mailOf('alice', ['bob', 'carol'], { subject })));
  const [archived, moved, answered] = sent.map(({ messageId }) => messageId) as [string, string, string];
  await moveMail(root, nameOf('bob'), [archived], { box: 'archive' });
  await moveMail(root, nameOf('bob'), [moved], { box: 'later' });
  await updateStates(root, nameOf('bob'), [answered], { read: true, answered: true, starred: true });
  await send(root, mailOf('alice', ['alice'], { subject: 'to herself' }));
  await deregister(root, addressOf('dave'), 'deactivate');
  await registerName(root, 'carol', { mode: 'stash', ownerPrincipalId: 'HOUMAO-carol2' });
  await registerName(root, 'carol', { mode: 'force', ownerPrincipalId: 'HOUMAO-carol3' });
  return { root, sent };
}

test('nothing changes in a root that is in order, whatever its history', async () => {
  const { root } = await livedIn();
  const before = {
    registrations: root.index.registrations.all(),
    states: ['alice', 'bob', 'carol'].map((name) => statesOf(root, name)),
    projections: root.index.registrations
      .all()
      .map((row) => root.index.projections.ofRegistration(row.registration_id)),
  };
  const result = await repair(root);
  expect(result).toMatchObject({
    messageCount: 5,
    registrationCount: 7,
    restoredStateCount: 9,
    defaultedStateCount: 0,
    backedUpIndex: null,
    damaged: [],
    stagingPaths: [],
  });
  expect({
    registrations: root.index.registrations.all(),
    states: ['alice', 'bob', 'carol'].map((name) => statesOf(root, name)),
    projections: root.index.registrations
      .all()
      .map((row) => root.index.projections.ofRegistration(row.registration_id)),
  }).toEqual(before);
});

test.each([
  ['is gone', (path: string) => rmSync(path)],
  [
    'is garbage',
    (path: string) => writeFileSync(path, 'no database, but long enough that it is looked at'.repeat(30)),
  ],
  ['is damaged in one table', (path: string) => damage(path)],
])('an index that %s is made again from what there is: flags and boxes stay', async (_, spoil) => {
  const root = await newRoot(['alice', 'bob']);
  const sent = [];
  for (const subject of ['archived', 'answered', 'untouched'])
    sent.push(await send(root, mailOf('alice', ['bob'], { subject })));
  await moveMail(root, nameOf('bob'), [sent[0]!.messageId], { box: 'archive' });
  await updateStates(root, nameOf('bob'), [sent[1]!.messageId], { answered: true });
  const folder = join(temporaryFolder(), 'private');
  await registerName(root, 'eve', { kind: 'symlink', mailboxPath: folder });
  const before = [statesOf(root, 'alice'), statesOf(root, 'bob')];
  root.close();
  spoil(root.paths.index);
  const garbage = existsSync(root.paths.index) ? readFileSync(root.paths.index) : null;
  const again = openRoot(root.paths.root);
  const { backedUpIndex, ...result } = await repair(again);
  expect(result).toMatchObject({
    messageCount: 3,
    registrationCount: 4,
    restoredStateCount: 6,
    defaultedStateCount: 0,
  });
  if (garbage === null) expect(backedUpIndex).toBeNull();
  else expect(readFileSync(backedUpIndex!).equals(garbage)).toBe(true);
  expect([statesOf(again, 'alice'), statesOf(again, 'bob')]).toEqual(before);
  expect(
    again.index.registrations
      .all()
      .map((row) => [row.address, row.owner_principal_id, row.status, row.role, row.mailbox_kind]),
  ).toEqual(
    expect.arrayContaining([
      [operator.address, operator.principalId, 'active', operator.role, 'in_root'],
      [addressOf('alice'), 'HOUMAO-alice', 'active', null, 'in_root'],
      [addressOf('eve'), 'HOUMAO-eve', 'active', null, 'symlink'],
    ]),
  );
  checkConsistent(again);
  await send(again, mailOf('bob', ['alice', 'eve'], { subject: 'On it goes' }));
  expect(await subjectsOf(again, 'alice')).toEqual(['On it goes']);
});

/** Spoils one table, so that the file opens and most of it can be read. */
function damage(path: string): void {
  const database = openDatabase(path);
  const { rootpage } = database
    .prepare<[], { rootpage: number }>(
      "SELECT rootpage FROM sqlite_master WHERE name = 'mailbox_projections'",
    )
    .get()!;
  database.close();
  const content = readFileSync(path);
  content.fill(0xab, (rootpage - 1) * 4096, rootpage * 4096);
  writeFileSync(path, content);
}

test('where the index and a mailbox’s own database are gone, its links say where messages were', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  await moveMail(root, nameOf('bob'), [messageId], { box: 'archive' });
  root.close();
  rmSync(root.paths.index);
  rmSync(join(root.paths.mailboxes, addressOf('bob'), 'mailbox.sqlite'));
  const again = openRoot(root.paths.root);
  expect(await repair(again)).toMatchObject({ restoredStateCount: 1, defaultedStateCount: 1 });
  expect((await listOf(again, 'bob', { box: 'archive' })).items).toMatchObject([
    { state: { is_archived: 1 } },
  ]);
  checkConsistent(again);
});

test('who has the root open goes on with the new index and the new databases', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('alice', ['bob'], { subject: 'Before' }));
  const again = openRoot(root.paths.root);
  rmSync(root.paths.index);
  await expect(send(root, mailOf('alice', ['bob']))).rejects.toMatchObject({ code: 'root_missing' });
  await repair(again);
  await registerName(again, 'bob', { mode: 'force', ownerPrincipalId: 'HOUMAO-bob2' });
  await send(again, mailOf('alice', ['alice'], { subject: 'Since' }));
  expect([await subjectsOf(root, 'alice'), await subjectsOf(root, 'bob')]).toEqual([['Since'], []]);
  await send(root, mailOf('alice', ['alice'], { subject: 'On it goes' }));
  expect((await subjectsOf(again, 'alice')).sort()).toEqual(['On it goes', 'Since']);
});

test('a message that the index does not know is delivered, one without a file is forgotten', async () => {
  const root = await newRoot(['alice', 'bob']);
  const known = await send(root, mailOf('alice', ['bob'], { subject: 'known' }));
  const gone = await send(root, mailOf('alice', ['bob'], { subject: 'gone' }));
  root.index.messages.delete(known.messageId);
  rmSync(root.index.messages.place(gone.messageId)!.canonical_path);
  await updateStates(root, nameOf('bob'), [gone.messageId], { read: true });
  expect(await repair(root)).toMatchObject({ messageCount: 1, projectionCount: 2 });
  checkConsistent(root);
  expect([await subjectsOf(root, 'bob'), await subjectsOf(root, 'alice', 'sent')]).toEqual([
    ['known'],
    ['known'],
  ]);
});

test('a damaged file is named, left as it is, and keeps its rows', async () => {
  const root = await newRoot(['alice', 'bob']);
  const { messageId } = await send(root, mailOf('alice', ['bob'], { subject: 'spoilt' }));
  await send(root, mailOf('alice', ['bob'], { subject: 'whole' }));
  const path = root.index.messages.place(messageId)!.canonical_path;
  const document = readFileSync(path);
  writeFileSync(path, 'garbage');
  writeFileSync(join(root.paths.messages, 'note.md'), 'not in the folder of a day');
  mkdirSync(join(root.paths.messages, 'notes'));
  writeFileSync(join(root.paths.messages, 'notes', 'a.md'), 'no message');
  const { damaged } = await repair(root);
  expect(damaged.map((each) => each.path).sort()).toEqual(
    [path, join(root.paths.messages, 'note.md'), join(root.paths.messages, 'notes', 'a.md')].sort(),
  );
  expect(readFileSync(path, 'utf8')).toBe('garbage');
  expect(await subjectsOf(root, 'bob')).toEqual(['whole']);
  writeFileSync(path, document);
  expect((await subjectsOf(root, 'bob')).sort()).toEqual(['spoilt', 'whole']);
});

test('missing links, boxes and rows come back; a database that is garbage is kept aside', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const { messageId } = await send(root, mailOf('alice', ['bob', 'carol'], { subject: 'Plan' }));
  await moveMail(root, nameOf('bob'), [messageId], { box: 'archive' });
  const bob = join(root.paths.mailboxes, addressOf('bob'));
  root.close();
  rmSync(join(bob, 'archive'), { recursive: true });
  rmSync(join(root.paths.mailboxes, addressOf('carol')), { recursive: true });
  writeFileSync(
    join(bob, 'mailbox.sqlite'),
    'no database at all, but long enough to be looked at closely'.repeat(20),
  );
  const again = openRoot(root.paths.root);
  await repair(again);
  checkConsistent(again);
  expect((await listOf(again, 'bob', { box: 'archive' })).items).toMatchObject([
    { state: { is_archived: 1, is_read: 1 } },
  ]);
  expect(await subjectsOf(again, 'carol')).toEqual(['Plan']);
  expect(readdirSync(bob).some((name) => name.startsWith('mailbox.sqlite.local-unusable-'))).toBe(true);
});

test('a private mailbox whose folder is gone becomes inactive', async () => {
  const root = await newRoot(['alice']);
  const folder = join(temporaryFolder(), 'private');
  await registerName(root, 'bob', { kind: 'symlink', mailboxPath: folder });
  root.close();
  rmSync(folder, { recursive: true });
  const again = openRoot(root.paths.root);
  await repair(again);
  expect(again.index.registrations.ofAddress(addressOf('bob'))).toMatchObject([{ status: 'inactive' }]);
});

test('a mailbox that leads out of the root is reported, and nothing is written there', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  const bob = join(root.paths.mailboxes, addressOf('bob'));
  const outside = temporaryFolder();
  rmSync(bob, { recursive: true });
  symlinkSync(outside, bob);
  const { damaged } = await repair(openRoot(root.paths.root));
  expect(damaged).toMatchObject([{ path: bob }]);
  expect(readdirSync(outside)).toEqual([]);
});

test('what nobody waits with in staging is kept aside, removed or left', async () => {
  const root = await newRoot(['alice']);
  const leave = (name: string, minutes: number) => {
    const path = join(root.paths.staging, name);
    writeFileSync(path, name);
    const at = Date.now() / 1000 - minutes * 60;
    utimesSync(path, at, at);
    return path;
  };
  const [old, fresh] = [leave('old.md', 11), leave('fresh.md', 1)];
  expect((await repairRoot(root, { staging: 'leave' })).stagingPaths).toEqual([]);
  expect((await repair(root)).stagingPaths).toEqual([old]);
  const [stamp] = readdirSync(join(root.paths.staging, 'quarantine')) as [string];
  expect(stamp).toMatch(/^\d{8}T\d{6}Z$/);
  expect(readFileSync(join(root.paths.staging, 'quarantine', stamp, 'old.md'), 'utf8')).toBe('old.md');
  leave('old.md', 11);
  expect((await repairRoot(root, { staging: 'remove' })).stagingPaths).toEqual([old]);
  expect(readdirSync(root.paths.staging).sort()).toEqual(['fresh.md', 'quarantine']);
  expect(existsSync(fresh)).toBe(true);
});

test('folders that are missing are made; where there is no root, none is', async () => {
  const root = await newRoot(['alice']);
  rmSync(root.paths.locks, { recursive: true });
  rmSync(root.paths.staging, { recursive: true });
  expect(await repair(root)).toMatchObject({ messageCount: 0, registrationCount: 2 });
  await send(root, mailOf('alice', ['alice'], { subject: 'On' }));
  expect(await subjectsOf(root, 'alice')).toEqual(['On']);
  const nowhere = openRoot(join(temporaryFolder(), 'nowhere'));
  await expect(repair(nowhere)).rejects.toMatchObject({ code: 'root_missing' });
  expect(existsSync(nowhere.paths.root)).toBe(false);
});

test('a root of another format is not touched', async () => {
  const root = await newRoot(['alice']);
  writeFileSync(root.paths.marker, '2\n');
  await expect(repair(root)).rejects.toMatchObject({ code: 'root_unusable' });
});
