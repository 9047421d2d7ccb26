import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { exportRoot } from '../../../src/mail/filesystem/export/export-root.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../src/mail/filesystem/registration/bootstrap.js';
import { addressOf, mailOf, registerName } from '../../support/mail/mail-root.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import type { Answer } from './mail-stage.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'houmao-cli-export-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (root: string, ...args: string[]) =>
  manage(managerEnvironment(folder), ['mailbox', 'export', '--mailbox-root', root, ...args]);
async function exported(root: string, ...args: string[]): Promise<Answer> {
  const ran = await run(root, ...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}
const newFolder = (): string => join(mkdtempSync(join(folder, 'out-')), 'archive');

/** Ann wrote to Ben once and to Cid once; Cid's message has two attachments, of which the root keeps one. */
async function filledRoot(): Promise<{ path: string; toBen: string; toCid: string }> {
  const path = mkdtempSync(join(folder, 'root-'));
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['ann', 'ben', 'cid']) await registerName(root, name);
  const toBen = mailOf('ann', ['ben'], { subject: 'one' });
  await deliver(root, toBen);
  const kept = join(path, 'attachments', 'managed', 'att-000000000001');
  mkdirSync(kept);
  writeFileSync(join(kept, 'copy.txt'), 'copy');
  const file = { mediaType: 'text/plain', sha256: null, sizeBytes: 4, label: null };
  const attachments = [
    {
      ...file,
      attachmentId: 'att-000000000001',
      kind: 'managed_copy' as const,
      path: join(kept, 'copy.txt'),
    },
    { ...file, attachmentId: 'att-000000000002', kind: 'path_ref' as const, path: '/absent/file' },
  ];
  const toCid = mailOf('ann', ['cid'], { subject: 'two', attachments });
  await deliver(root, toCid);
  root.close();
  return { path, toBen: toBen.messageId, toCid: toCid.messageId };
}

const canonical = (root: string, id: string): string =>
  readdirSync(join(root, 'messages'), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === `${id}.md`)
    .map((entry) => join(entry.parentPath, entry.name))[0] ?? '';
const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
const linksIn = (root: string): string[] =>
  filesIn(root).filter((path) => lstatSync(join(root, path)).isSymbolicLink());

test('all accounts: every message once, and as a file in each box that has it', async () => {
  const { path, toBen, toCid } = await filledRoot();
  const out = newFolder();
  const answer = await exported(path, '--all-accounts', '--output-dir', out);
  expect(answer).toMatchObject({
    output_dir: out,
    symlink_mode: 'materialize',
    all_accounts: true,
    selected_addresses: [],
    account_count: 4,
    message_count: 2,
    attachment_count: 2,
    blocked_artifacts: [],
    manifest_path: join(out, 'manifest.json'),
  });
  expect(linksIn(out)).toEqual([]);
  const day = canonical(path, toBen).split('/').at(-2);
  const ends = filesIn(out).map((file) => file.replace(/reg-[0-9a-f]+/, 'reg'));
  expect(ends).toEqual(
    [
      'manifest.json',
      `messages/${day}/${toBen}.md`,
      `messages/${day}/${toCid}.md`,
      'attachments/managed/att-000000000001/copy.txt',
      ...['ann', 'ben', 'cid', 'HOUMAO-operator'].flatMap((name) =>
        ['account.json', 'mailbox.sqlite'].map((file) => `accounts/${addressOf(name)}/reg/${file}`),
      ),
      `accounts/${addressOf('ann')}/reg/sent/${toBen}.md`,
      `accounts/${addressOf('ann')}/reg/sent/${toCid}.md`,
      `accounts/${addressOf('ben')}/reg/inbox/${toBen}.md`,
      `accounts/${addressOf('cid')}/reg/inbox/${toCid}.md`,
    ].sort(),
  );
  for (const file of filesIn(out))
    expect([file, lstatSync(join(out, file)).mode & 0o777]).toEqual([file, 0o600]);
  expect(lstatSync(out).mode & 0o777).toBe(0o700);
  const copy = filesIn(out).find((file) => file.includes('/inbox/') && file.endsWith(`${toBen}.md`)) ?? '';
  expect(readFileSync(join(out, copy), 'utf8')).toBe(readFileSync(canonical(path, toBen), 'utf8'));
  const manifest = JSON.parse(readFileSync(answer.manifest_path, 'utf8'));
  expect(manifest).toMatchObject({
    schema_version: 1,
    source_mailbox_root: path,
    source_protocol_version: 3,
    selection: { all_accounts: true, addresses: [] },
  });
  expect(
    manifest.attachments.map((one: Answer) => [one.attachment_id, one.action, one.target_exists]),
  ).toEqual([
    ['att-000000000001', 'copied', true],
    ['att-000000000002', 'skipped', false],
  ]);
  expect(readdirSync(join(out, '..'))).toEqual(['archive']);
});

test('one account: what its boxes show, with links that hold wherever the archive is moved', async () => {
  const { path, toBen } = await filledRoot();
  const out = newFolder();
  const args = ['--address', addressOf('ben'), '--symlink-mode', 'preserve', '--output-dir', out];
  const answer = await exported(path, ...args);
  expect(answer).toMatchObject({ account_count: 1, message_count: 1, attachment_count: 0 });
  const moved = `${out}-moved`;
  renameSync(out, moved);
  const [link = '', ...more] = linksIn(moved);
  expect(more).toEqual([]);
  expect(readFileSync(join(moved, link), 'utf8')).toBe(readFileSync(canonical(path, toBen), 'utf8'));
  expect(realpathSync(join(moved, link)).startsWith(moved)).toBe(true);
  const account = JSON.parse(readFileSync(join(moved, link, '..', '..', 'account.json'), 'utf8'));
  expect(account).toMatchObject({ address: addressOf('ben'), source_mailbox_entry_is_symlink: false });
  const states = openDatabase(join(moved, account.archive_local_sqlite_path), { readonly: true });
  expect(states.prepare('SELECT message_id, is_read FROM message_state').all()).toEqual([
    { message_id: toBen, is_read: 0 },
  ]);
  states.close();
});

test('what is missing, or leads elsewhere, is reported and not taken along', async () => {
  const { path, toBen, toCid } = await filledRoot();
  rmSync(canonical(path, toBen));
  const secret = join(folder, 'secret.txt');
  writeFileSync(secret, 'nobody is to see this');
  const file = canonical(path, toCid);
  rmSync(file);
  symlinkSync(secret, file);
  const index = openDatabase(join(path, 'index.sqlite'));
  index.prepare("UPDATE attachments SET locator = ? WHERE kind = 'managed_copy'").run(secret);
  index.close();
  const out = newFolder();
  const answer = await exported(path, '--all-accounts', '--output-dir', out);
  const blocked = answer.blocked_artifacts.map((one: Answer) => [one.artifact_kind, one.reason]);
  expect(blocked.sort()).toEqual(
    [
      ['canonical_message', 'it is missing'],
      ['canonical_message', 'it is not a regular file'],
      ...Array.from({ length: 4 }, () => ['mailbox_projection', 'its message is not in the archive']),
      ['managed_attachment', `it is not in ${join(path, 'attachments', 'managed')}`],
    ].sort(),
  );
  for (const name of filesIn(out))
    expect(readFileSync(join(out, name), 'latin1')).not.toContain('nobody is to see this');
  expect(filesIn(out).filter((name) => name.endsWith('.md') || name.includes('managed'))).toEqual([]);
});

test('an export that is stopped leaves nothing', async () => {
  const { path } = await filledRoot();
  const root = openMailRoot(path, systemClock);
  const stop = new AbortController();
  const out = newFolder();
  const copying = exportRoot(root, {
    outputDir: out,
    addresses: null,
    symlinkMode: 'materialize',
    signal: stop.signal,
  });
  stop.abort(new Error('stopped'));
  await expect(copying).rejects.toThrow('stopped');
  root.close();
  expect(readdirSync(join(out, '..'))).toEqual([]);
});

test('a wrong call changes nothing', async () => {
  const { path } = await filledRoot();
  const out = newFolder();
  const all = ['--all-accounts', '--output-dir'];
  expect(await run(path, '--output-dir', out)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--all-accounts'),
  });
  expect(await run(path, ...all, join(path, 'inside'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`must lie outside of ${path}`),
  });
  expect(await run(path, '--address', addressOf('nobody'), '--output-dir', out)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('nobody@houmao.localhost'),
  });
  expect(await run(path, ...all, join(folder, 'absent', 'archive'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${join(folder, 'absent')} must exist`),
  });
  rmSync(join(path, 'mailboxes', addressOf('ben'), 'inbox'), { recursive: true });
  expect(await run(path, ...all, out)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a folder'),
  });
  expect(readdirSync(join(out, '..'))).toEqual([]);
  mkdirSync(out);
  expect(await run(path, ...all, out)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must not exist yet'),
  });
  expect(readdirSync(out)).toEqual([]);
  expect(existsSync(join(path, 'inside'))).toBe(false);
});
