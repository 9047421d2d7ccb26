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
import { repairRoot } from '../../../../../src/mail/filesystem/repair/repair.js';
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
      address: operator.address,
      owner_principal_id: 'HOUMAO-operator',
      status: 'active',
      mailbox_kind: 'in_root',
      display_name: 'Houmao Operator',
      role: 'system_operator',
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

/** The schema of each table in SQLite: its columns, what they refer to, its indexes. */
function schemaOf(path: string): Record<string, readonly string[]> {
  const database = openDatabase(path, { readonly: true });
  const all = <Row>(source: string) => database.prepare<[], Row>(source).all();
  const said = all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").map(
    ({ name }) => {
      const columns = all<{ name: string; type: string; notnull: number; dflt_value: string; pk: number }>(
        `PRAGMA table_info(${name})`,
      ).map(
        (of) =>
          `${of.name} ${of.type}${of.notnull ? ' nn' : ''}${of.dflt_value === null ? '' : ` = ${of.dflt_value}`}${of.pk ? ` pk${of.pk}` : ''}`,
      );
      const keys = all<{ from: string; table: string; on_delete: string }>(
        `PRAGMA foreign_key_list(${name})`,
      ).map((of) => `${of.from} -> ${of.table} ${of.on_delete}`);
      const indexes = all<{ sql: string }>(
        `SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = '${name}' AND sql IS NOT NULL`,
      ).map(({ sql }) => sql.replace(/\s+/g, ' ').replace('CREATE ', ''));
      return [name, [...columns, ...keys.sort(), ...indexes.sort()]] as const;
    },
  );
  database.close();
  return Object.fromEntries(said);
}

const summaries = [
  ...['thread_id TEXT pk1', 'normalized_subject TEXT nn', 'latest_message_id TEXT'],
  ...['latest_message_created_at_utc TEXT', 'unread_count INTEGER nn = 0'],
];
const flags = ['is_read', 'is_answered', 'is_starred', 'is_archived', 'is_deleted'].map(
  (name) => `${name} INTEGER nn = 0`,
);
const party = ['display_name TEXT', 'manifest_path_hint TEXT', 'role TEXT'];
const ofMessage = 'message_id -> messages CASCADE';
const ofRegistration = 'registration_id -> mailbox_registrations CASCADE';

test('the tables are those of the format, column for column', async () => {
  const { paths } = await newRoot();
  expect(schemaOf(paths.index)).toEqual({
    mailbox_registrations: [
      ...['registration_id TEXT pk1', 'address TEXT nn', 'owner_principal_id TEXT nn', 'status TEXT nn'],
      ...['mailbox_kind TEXT nn', 'mailbox_path TEXT nn', 'mailbox_entry_path TEXT nn', ...party],
      ...['created_at_utc TEXT nn', 'deactivated_at_utc TEXT', 'replaced_by_registration_id TEXT'],
      'replaced_by_registration_id -> mailbox_registrations SET NULL',
      'INDEX idx_mailbox_registrations_owner_principal ON mailbox_registrations (owner_principal_id)',
      "UNIQUE INDEX idx_mailbox_registrations_active_address ON mailbox_registrations (address) WHERE status = 'active'",
    ],
    messages: [
      ...['message_id TEXT pk1', 'thread_id TEXT nn', 'in_reply_to TEXT', 'created_at_utc TEXT nn'],
      ...[
        'canonical_path TEXT nn',
        'subject TEXT nn',
        'body_markdown TEXT nn',
        "headers_json TEXT nn = '{}'",
      ],
      ...['sender_principal_id TEXT nn', 'sender_address TEXT nn', ...party.map((name) => `sender_${name}`)],
      ...['sender_registration_id TEXT', 'INDEX idx_messages_thread_id ON messages (thread_id)'],
    ],
    message_recipients: [
      ...[
        'message_id TEXT nn pk1',
        'recipient_kind TEXT nn pk2',
        'ordinal INTEGER nn pk3',
        'address TEXT nn',
      ],
      ...['owner_principal_id TEXT nn', ...party, 'delivered_registration_id TEXT', ofMessage],
      'INDEX idx_recipients_address ON message_recipients (address)',
    ],
    attachments: [
      ...['attachment_id TEXT pk1', 'kind TEXT nn', 'locator TEXT nn', 'media_type TEXT nn', 'sha256 TEXT'],
      ...['size_bytes INTEGER', 'label TEXT'],
    ],
    message_attachments: [
      ...['message_id TEXT nn pk1', 'attachment_id TEXT nn pk2', 'ordinal INTEGER nn'],
      ...['attachment_id -> attachments CASCADE', ofMessage],
    ],
    mailbox_projections: [
      ...['registration_id TEXT nn pk1', 'message_id TEXT nn pk2', 'folder_name TEXT nn pk3'],
      ...['projection_path TEXT nn', ofMessage, ofRegistration],
    ],
    mailbox_state: [
      ...['registration_id TEXT nn pk1', 'message_id TEXT nn pk2', ...flags, "box_name TEXT nn = 'inbox'"],
      ...[ofMessage, ofRegistration, 'INDEX idx_state_registration_id ON mailbox_state (registration_id)'],
    ],
    thread_summaries: summaries,
  });
  expect(schemaOf(join(paths.mailboxes, operator.address, 'mailbox.sqlite'))).toEqual({
    message_state: [
      ...['message_id TEXT pk1', 'thread_id TEXT nn', 'created_at_utc TEXT nn', 'subject TEXT nn', ...flags],
      "box_name TEXT nn = 'inbox'",
      'INDEX idx_houmao_message_state_newest ON message_state (box_name, created_at_utc, message_id)',
      'INDEX idx_message_state_thread_id ON message_state (thread_id)',
    ],
    thread_summaries: summaries,
  });
});

test.each(['status', 'mailbox_kind'])('a row has no %s that the format does not know', async (column) => {
  const root = await newRoot();
  root.close();
  const database = openDatabase(root.paths.index);
  const spoil = () => database.exec(`UPDATE mailbox_registrations SET ${column} = 'other'`);
  expect(spoil).toThrow('CHECK constraint failed');
  database.close();
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

test('rules that were there first stay as they are, and missing ones are made', async () => {
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

test('a root that cannot be looked at is a fault of the machine, not one that is missing', async () => {
  const root = openRoot(temporaryFolder());
  await bootstrap(root);
  rmSync(root.paths.marker);
  symlinkSync(root.paths.marker, root.paths.marker);
  await expect(listOf(root, 'alice')).rejects.toMatchObject({
    code: 'machine',
    message: expect.stringContaining('ELOOP'),
  });
});

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

test('a file, or a path below one, is no place for a root; the file stays as it is', async () => {
  const file = join(temporaryFolder(), 'README.md');
  writeFileSync(file, 'mine');
  const root = openRoot(file);
  const refused = { code: 'root_unusable', message: `${file}: is not a folder; name another one` };
  await expect(bootstrap(root)).rejects.toMatchObject(refused);
  await expect(send(root, mailOf('alice', ['alice']))).rejects.toMatchObject(refused);
  await expect(repairRoot(root, { staging: 'leave' })).rejects.toMatchObject(refused);
  expect(() => openRoot(join(file, 'mail'))).toThrow(expect.objectContaining({ code: 'root_unusable' }));
  expect(readFileSync(file, 'utf8')).toBe('mine');
});
