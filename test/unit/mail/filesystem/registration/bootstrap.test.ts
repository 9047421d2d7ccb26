import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../../src/foundation/open-database.js';
import { bootstrap } from '../../../../../src/mail/filesystem/registration/bootstrap.js';
import { MailFault } from '../../../../../src/mail/message/mail-fault.js';
import { operator } from '../../../../../src/mail/message/operator-message.js';
import {
  addressOf,
  listOf,
  mailOf,
  newRoot,
  openRoot,
  send,
  subjectsOf,
} from '../../../../support/mail/mail-root.js';
import { temporaryFolder } from '../../../../support/temporary-folder.js';

const everythingIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).sort();

test('a root has the folders, files, tables and the account of the format', async () => {
  const { paths, index } = await newRoot();
  const box = (name: string) => `mailboxes/${operator.address}/${name}`;
  expect(everythingIn(paths.root).filter((path) => !path.startsWith('locks/holders'))).toEqual(
    [
      ...['attachments', 'attachments/managed', 'index.sqlite', 'locks', 'locks/addresses', 'mailboxes'],
      ...[`mailboxes/${operator.address}`, box('archive'), box('drafts'), box('inbox'), box('sent')],
      ...[
        box('mailbox.sqlite'),
        'messages',
        'protocol-version.txt',
        'rules',
        'rules/README.md',
        'rules/protocols',
      ],
      ...[
        'rules/protocols/filesystem-mailbox-v1.md',
        'rules/scripts',
        'rules/skills',
        'rules/skills/README.md',
        'staging',
      ],
    ].sort(),
  );
  expect(readFileSync(paths.marker, 'utf8')).toBe('3\n');
  expect(index.registrations.all()).toMatchObject([
    {
      ...{ address: operator.address, owner_principal_id: 'HOUMAO-operator', status: 'active' },
      ...{ mailbox_kind: 'in_root', display_name: 'Houmao Operator', role: 'system_operator' },
    },
  ]);
});

test.each(['index.sqlite', `mailboxes/${operator.address}/mailbox.sqlite`])(
  '%s keeps the journal that others count on',
  async (name) => {
    const { paths } = await newRoot();
    const database = openDatabase(join(paths.root, name), { readonly: true });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
    expect(database.prepare('PRAGMA application_id').get()).toEqual({ application_id: 0 });
    database.close();
    expect(everythingIn(paths.root).filter((path) => /-(wal|shm|journal)$/.test(path))).toEqual([]);
  },
);

test('the tables have all columns of the format, in their order', async () => {
  const { paths } = await newRoot();
  const columns = (name: string) => {
    const database = openDatabase(join(paths.root, name), { readonly: true });
    const tables = database
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all();
    const all = tables.map(({ name: table }) => {
      const found = database.prepare<[], { name: string }>(`PRAGMA table_info(${table})`).all();
      return `${table}: ${found.map((column) => column.name).join(' ')}`;
    });
    database.close();
    return all;
  };
  const summaries =
    'thread_summaries: thread_id normalized_subject latest_message_id latest_message_created_at_utc unread_count';
  expect(columns('index.sqlite')).toEqual([
    'attachments: attachment_id kind locator media_type sha256 size_bytes label',
    'mailbox_projections: registration_id message_id folder_name projection_path',
    'mailbox_registrations: registration_id address owner_principal_id status mailbox_kind mailbox_path mailbox_entry_path display_name manifest_path_hint role created_at_utc deactivated_at_utc replaced_by_registration_id',
    'mailbox_state: registration_id message_id is_read is_answered is_starred is_archived is_deleted box_name',
    'message_attachments: message_id attachment_id ordinal',
    'message_recipients: message_id recipient_kind ordinal address owner_principal_id display_name manifest_path_hint role delivered_registration_id',
    'messages: message_id thread_id in_reply_to created_at_utc canonical_path subject body_markdown headers_json sender_principal_id sender_address sender_display_name sender_manifest_path_hint sender_role sender_registration_id',
    summaries,
  ]);
  expect(columns(`mailboxes/${operator.address}/mailbox.sqlite`)).toEqual([
    'message_state: message_id thread_id created_at_utc subject is_read is_answered is_starred is_archived is_deleted box_name',
    summaries,
  ]);
});

test('it may run again, and fills a mailbox that knows nothing of what it has', async () => {
  const root = await newRoot(['alice', 'bob']);
  await send(root, mailOf('alice', ['bob'], { subject: 'Plan' }));
  const before = root.index.registrations.all();
  const states = root.database(join(root.paths.mailboxes, addressOf('bob')));
  states.database.transact(() => states.states.deleteAll());
  expect(await subjectsOf(root, 'bob')).toEqual([]);
  await bootstrap(openRoot(root.paths.root));
  expect(root.index.registrations.all()).toEqual(before);
  expect((await listOf(root, 'bob')).items).toMatchObject([{ state: { subject: 'Plan', is_read: 0 } }]);
});

test('the rules of whoever was there first stay as they are, and missing ones are made', async () => {
  const root = await newRoot();
  const [readme, protocol] = ['README.md', 'protocols/filesystem-mailbox-v1.md'].map((name) =>
    join(root.paths.rules, name),
  ) as [string, string];
  writeFileSync(readme, 'Of the older implementation.');
  rmSync(protocol);
  await bootstrap(openRoot(root.paths.root));
  expect(readFileSync(readme, 'utf8')).toBe('Of the older implementation.');
  expect(existsSync(protocol)).toBe(true);
});

test.each([
  ['an older layout', (root: string) => mkdirSync(join(root, 'locks/principals'))],
  ['another version', (root: string) => writeFileSync(join(root, 'protocol-version.txt'), '1\n')],
  [
    'a foreign name among the mailboxes',
    (root: string) => writeFileSync(join(root, 'mailboxes/.DS_Store'), ''),
  ],
  ['a table of an older format', (root: string) => addTable(join(root, 'index.sqlite'))],
  ['a link in place of a folder', (root: string) => replaceByLink(join(root, 'messages'))],
  ['a link in place of the mailboxes', (root: string) => replaceByLink(join(root, 'mailboxes'))],
  ['a link in place of staging', (root: string) => replaceByLink(join(root, 'staging'))],
])('%s makes the root unusable, and nothing is changed', async (_, spoil) => {
  const root = await newRoot(['alice']);
  spoil(root.paths.root);
  const before = everythingIn(root.paths.root);
  const again = openRoot(root.paths.root);
  await expect(bootstrap(again)).rejects.toMatchObject({ code: 'root_unusable' });
  await expect(listOf(again, 'alice')).rejects.toThrow(expect.objectContaining({ code: 'root_unusable' }));
  await expect(send(again, mailOf('alice', ['alice']))).rejects.toMatchObject({ code: 'root_unusable' });
  expect(everythingIn(root.paths.root)).toEqual(before);
});

function addTable(path: string): void {
  const database = openDatabase(path);
  database.exec('CREATE TABLE principals (id TEXT)');
  database.close();
}

function replaceByLink(path: string): void {
  rmSync(path, { recursive: true });
  symlinkSync(temporaryFolder(), path);
}

test('where there is no root, mail is refused and none is made', async () => {
  const path = join(temporaryFolder(), 'nowhere');
  const root = openRoot(path);
  await expect(listOf(root, 'alice')).rejects.toThrow(MailFault);
  await expect(send(root, mailOf('alice', ['bob']))).rejects.toMatchObject({ code: 'root_missing' });
  expect(existsSync(path)).toBe(false);
});

test('an index that is no database is named, and left as it is', async () => {
  const root = await newRoot();
  writeFileSync(
    root.paths.index,
    'not a database, whatever its name says, and long enough to be looked at'.repeat(20),
  );
  const before = readFileSync(root.paths.index);
  await expect(bootstrap(openRoot(root.paths.root))).rejects.toMatchObject({
    code: 'mailbox_damaged',
    message: expect.stringContaining(root.paths.index),
  });
  expect(readFileSync(root.paths.index).equals(before)).toBe(true);
});
