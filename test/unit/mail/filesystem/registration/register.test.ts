import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deregister } from '../../../../../src/mail/filesystem/registration/deregister.js';
import { operator } from '../../../../../src/mail/message/operator-message.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import {
  addressOf,
  listOf,
  mailOf,
  newRoot,
  registerName,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const other = { ownerPrincipalId: 'HOUMAO-other' };

test('the same again is the same mailbox, with the texts of the last time', async () => {
  const root = await newRoot();
  const first = await registerName(root, 'alice', { displayName: 'Alice', role: 'dev' });
  const again = await registerName(root, 'alice', { displayName: ' A. ' });
  expect([first.reusedExisting, again.reusedExisting]).toEqual([false, true]);
  expect(again.registration).toMatchObject({
    registration_id: first.registration.registration_id,
    display_name: 'A.',
    role: null,
  });
  expect(first.registration.registration_id).toMatch(/^reg-[0-9a-f]{32}$/);
});

test('another owner is a conflict; nothing is changed', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('bob', ['alice'], { subject: 'Plan' }));
  const before = root.index.registrations.all();
  await expect(registerName(root, 'alice', other)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('registered for HOUMAO-alice'),
  });
  expect(root.index.registrations.all()).toEqual(before);
  expect(await subjectsOf(root, 'alice')).toEqual(['Plan']);
});

test('force begins again: the old row is inactive and named as replaced, its mail is gone from the mailbox', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('bob', ['alice'], { subject: 'Plan' }));
  const { registration, replaced, stashed } = await registerName(root, 'alice', { ...other, mode: 'force' });
  expect(stashed).toBeNull();
  expect(root.index.registrations.ofAddress(addressOf('alice'))).toEqual(
    expect.arrayContaining([
      registration,
      { ...replaced, status: 'inactive', replaced_by_registration_id: registration.registration_id },
    ]),
  );
  expect(root.index.projections.ofRegistration(replaced!.registration_id)).toEqual([]);
  expect(await subjectsOf(root, 'alice')).toEqual([]);
  expect(readdirSync(join(registration.mailbox_path, 'inbox'))).toEqual([]);
  expect(readdirSync(root.paths.staging)).toEqual([]);
  expect(await subjectsOf(root, 'bob', 'sent')).toEqual(['Plan']);
});

test('stash sets the old mailbox aside, whole', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('bob', ['alice'], { subject: 'Plan' }));
  const { registration, stashed } = await registerName(root, 'alice', { ...other, mode: 'stash' });
  const row = root.index.registrations
    .all()
    .find(({ registration_id: id }) => id === stashed?.registrationId);
  expect(stashed?.entryPath).toMatch(/\/mailboxes\/alice@houmao\.localhost--[0-9a-f]{32}$/);
  expect(row).toMatchObject({
    status: 'stashed',
    mailbox_entry_path: stashed?.entryPath,
    mailbox_path: stashed?.entryPath,
    replaced_by_registration_id: registration.registration_id,
    deactivated_at_utc: expect.any(String),
  });
  expect(readdirSync(join(stashed!.entryPath, 'inbox'))).toHaveLength(1);
  expect(await subjectsOf(root, 'alice')).toEqual([]);
  await send(
    root,
    mailOf('bob', ['alice'], {
      subject: 'Again',
      to: [{ ...mailOf('a', ['alice']).to[0]!, principalId: 'HOUMAO-other' }],
    }),
  );
  expect(await subjectsOf(root, 'alice')).toEqual(['Again']);
});

test('deactivate keeps everything for the same owner; nothing is delivered meanwhile', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('bob', ['alice'], { subject: 'Plan' }));
  const row = await deregister(root, addressOf('alice'), 'deactivate');
  await expect(send(root, mailOf('bob', ['alice']))).rejects.toMatchObject({
    code: 'not_registered',
    message: expect.stringContaining('only inactive ones'),
  });
  await expect(registerName(root, 'alice', other)).rejects.toMatchObject({ code: 'conflict' });
  const { registration, reusedExisting } = await registerName(root, 'alice');
  expect([registration.registration_id, reusedExisting]).toEqual([row.registration_id, true]);
  expect(registration).toMatchObject({ status: 'active', deactivated_at_utc: null });
  expect(await subjectsOf(root, 'alice')).toEqual(['Plan']);
});

test('purge forgets the mailbox and no message', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('bob', ['alice'], { subject: 'Plan' }));
  const row = await deregister(root, addressOf('alice'), 'purge');
  expect(existsSync(row.mailbox_path)).toBe(false);
  expect(root.index.registrations.ofAddress(addressOf('alice'))).toEqual([]);
  expect(root.index.messages.ids()).toHaveLength(1);
  expect(await subjectsOf(root, 'bob', 'sent')).toEqual(['Plan']);
  await expect(deregister(root, addressOf('alice'), 'purge')).rejects.toMatchObject({
    code: 'not_registered',
  });
});

test('the operator keeps its mailbox, and nobody else gets one in its namespace', async () => {
  const root = await newRoot();
  for (const mode of ['deactivate', 'purge'] as const)
    await expect(deregister(root, operator.address, mode)).rejects.toMatchObject({ field: 'address' });
  for (const changes of [
    { address: operator.address, ownerPrincipalId: 'HOUMAO-eve', mode: 'force' as const },
    { address: operator.address, ownerPrincipalId: operator.principalId, role: null, mode: 'force' as const },
    { address: 'HOUMAO-eve@houmao.localhost' },
  ])
    await expect(registerName(root, 'eve', changes)).rejects.toMatchObject({ field: 'address' });
  await registerName(root, 'gpu', { address: 'HOUMAO-gpu@agents.localhost' });
});

test.each([
  ['address', { address: '../../etc@x' }],
  ['owner_principal_id', { ownerPrincipalId: ' \u0085' }],
  ['display_name', { displayName: ' ' }],
  ['role', { role: '' }],
  ['manifest_path_hint', { manifestPathHint: 'a\0' }],
  ['mailbox_path', { mailboxPath: '/elsewhere' }],
  ['mailbox_path', { kind: 'symlink' as const }],
])('a bad %s is refused by its name', async (field, changes) => {
  const root = await newRoot();
  await expect(registerName(root, 'alice', changes)).rejects.toMatchObject({ name: 'MailRefusal', field });
  expect(readdirSync(root.paths.mailboxes)).toEqual([operator.address]);
});

test('a private mailbox has its rows and links outside of the root, and outlives its registration', async () => {
  const root = await newRoot(['bob']);
  const folder = join(temporaryFolder(), 'private');
  const { registration } = await registerName(root, 'alice', { kind: 'symlink', mailboxPath: folder });
  expect(readlinkSync(registration.mailbox_entry_path)).toBe(folder);
  const { messageId } = await send(root, mailOf('bob', ['alice'], { subject: 'Plan' }));
  expect(root.index.projections.of(registration.registration_id, messageId)).toMatchObject([
    { folder_name: 'inbox', projection_path: join(folder, 'inbox', `${messageId}.md`) },
  ]);
  expect(readlinkSync(join(folder, 'inbox', `${messageId}.md`))).toBe(
    root.index.messages.place(messageId)?.canonical_path,
  );
  await deregister(root, addressOf('alice'), 'purge');
  expect(lstatSync(registration.mailbox_entry_path, { throwIfNoEntry: false })).toBeUndefined();
  expect(readdirSync(folder).sort()).toEqual(['archive', 'drafts', 'inbox', 'mailbox.sqlite', 'sent']);
});

test('a private mailbox takes no mail while its entry leads elsewhere, or is no link', async () => {
  const root = await newRoot(['bob']);
  const folder = join(temporaryFolder(), 'private');
  const elsewhere = temporaryFolder();
  for (const box of ['inbox', 'sent', 'archive', 'drafts']) mkdirSync(join(elsewhere, box));
  const { registration } = await registerName(root, 'alice', { kind: 'symlink', mailboxPath: folder });
  rmSync(registration.mailbox_entry_path);
  symlinkSync(elsewhere, registration.mailbox_entry_path);
  const attempt = () => send(root, mailOf('bob', ['alice']));
  await expect(attempt()).rejects.toMatchObject({ code: 'mailbox_damaged' });
  rmSync(registration.mailbox_entry_path);
  mkdirSync(registration.mailbox_entry_path);
  await expect(attempt()).rejects.toMatchObject({ code: 'mailbox_damaged' });
  expect([readdirSync(join(elsewhere, 'inbox')), readdirSync(join(folder, 'inbox'))]).toEqual([[], []]);
});

test('a private folder belongs to one address, and lies outside of the root', async () => {
  const root = await newRoot();
  const folder = join(temporaryFolder(), 'private');
  const link = join(temporaryFolder(), 'link');
  symlinkSync(root.paths.mailboxes, link);
  await registerName(root, 'alice', { kind: 'symlink', mailboxPath: folder });
  await expect(registerName(root, 'bob', { kind: 'symlink', mailboxPath: folder })).rejects.toMatchObject({
    code: 'conflict',
  });
  for (const mailboxPath of [
    join(root.paths.root, 'x'),
    root.paths.root,
    join(root.paths.root, '..'),
    join(link, 'x'),
  ])
    await expect(registerName(root, 'bob', { kind: 'symlink', mailboxPath })).rejects.toMatchObject({
      field: 'mailbox_path',
    });
});

test('a folder without a registration is kept, unless nothing is in it', async () => {
  const root = await newRoot();
  const folder = join(root.paths.mailboxes, addressOf('alice'));
  mkdirSync(join(folder, 'inbox'), { recursive: true });
  await registerName(root, 'alice');
  await deregister(root, addressOf('alice'), 'purge');
  mkdirSync(join(folder, 'inbox'), { recursive: true });
  writeFileSync(join(folder, 'inbox', 'note'), 'of value');
  await expect(registerName(root, 'alice')).rejects.toMatchObject({ code: 'conflict' });
  expect(readFileSync(join(folder, 'inbox', 'note'), 'utf8')).toBe('of value');
  await registerName(root, 'alice', { mode: 'stash' });
  const aside = readdirSync(root.paths.mailboxes).find((name) => name.includes('--'));
  expect(readFileSync(join(root.paths.mailboxes, aside!, 'inbox', 'note'), 'utf8')).toBe('of value');
});

test('an unusable database in a private folder is a refusal, and is kept aside by force', async () => {
  const root = await newRoot();
  const folder = join(temporaryFolder(), 'private');
  mkdirSync(folder);
  const garbage = 'no database at all, but long enough that it is looked at closely. '.repeat(20);
  writeFileSync(join(folder, 'mailbox.sqlite'), garbage);
  const request = { kind: 'symlink', mailboxPath: folder } as const;
  await expect(registerName(root, 'alice', request)).rejects.toMatchObject({ code: 'mailbox_damaged' });
  expect(readFileSync(join(folder, 'mailbox.sqlite'), 'utf8')).toBe(garbage);
  await registerName(root, 'alice', { ...request, mode: 'force' });
  const kept = readdirSync(folder).find((name) =>
    /^mailbox\.sqlite\.local-unusable-\d{8}T\d{6}Z\.bak$/.test(name),
  );
  expect(readFileSync(join(folder, kept!), 'utf8')).toBe(garbage);
  expect(await listOf(root, 'alice')).toEqual({ items: [], damaged: [] });
});

test('a mailbox whose box is missing or a link takes no mail, and nothing is left of the attempt', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  rmSync(join(root.paths.mailboxes, addressOf('alice'), 'drafts'), { recursive: true });
  const inbox = join(root.paths.mailboxes, addressOf('carol'), 'inbox');
  rmSync(inbox, { recursive: true });
  const outside = temporaryFolder();
  symlinkSync(outside, inbox);
  for (const to of ['alice', 'carol'])
    await expect(send(root, mailOf('bob', ['bob', to]))).rejects.toMatchObject({ code: 'mailbox_damaged' });
  expect(readdirSync(outside)).toEqual([]);
  expect([readdirSync(root.paths.messages), readdirSync(root.paths.staging)]).toEqual([[], []]);
  expect(await subjectsOf(root, 'bob')).toEqual([]);
});

test('a link in place of a mailbox leads nowhere', async () => {
  const root = await newRoot(['alice', 'bob']);
  const entry = join(root.paths.mailboxes, addressOf('alice'));
  const outside = temporaryFolder();
  for (const box of ['inbox', 'sent', 'archive', 'drafts']) mkdirSync(join(outside, box));
  rmSync(entry, { recursive: true });
  symlinkSync(outside, entry);
  await expect(send(root, mailOf('bob', ['alice']))).rejects.toMatchObject({ code: 'mailbox_damaged' });
  await expect(listOf(root, 'alice')).rejects.toThrow(expect.objectContaining({ code: 'mailbox_damaged' }));
  expect(readdirSync(join(outside, 'inbox'))).toEqual([]);
});

test('an address whose stashed name no folder can have is refused before anything is moved', async () => {
  const root = await newRoot();
  const name = 'a'.repeat(255 - '@houmao.localhost'.length - '.lock'.length);
  await registerName(root, name);
  await expect(
    registerName(root, name, { mode: 'stash', ownerPrincipalId: 'HOUMAO-other' }),
  ).rejects.toMatchObject({ code: 'conflict' });
  expect(root.index.registrations.active(addressOf(name))).toMatchObject({
    owner_principal_id: `HOUMAO-${name}`,
  });
  checkConsistent(root);
});
