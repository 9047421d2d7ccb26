// Looking after a mailbox root, with no agent and no gateway.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import type { MailMessage } from '../../../src/mail/message/mail-message.js';
import { addressOf, mailOf } from '../../support/mail/mail-root.js';
import { manage, managerEnvironment, type Ran } from '../../support/manager.js';
import type { Answer } from './mail-stage.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-mailbox-'));
const { HOUMAO_GLOBAL_MAILBOX_DIR: _root, ...environment } = managerEnvironment(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let counter = 0;
const newPath = (): string => join(folder, `root-${counter++}`);
const run = (root: string, ...args: string[]): Promise<Ran> =>
  manage(environment, ['mailbox', ...args, '--mailbox-root', root]);

async function json(root: string, ...args: string[]): Promise<Answer> {
  const ran = await run(root, ...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

const register = (root: string, name: string, ...args: string[]) =>
  json(root, 'register', '--address', addressOf(name), '--principal-id', `HOUMAO-${name}`, ...args);

/** A root with two mailboxes and a message from one to the other. */
async function filledRoot(): Promise<{ root: string; message: MailMessage }> {
  const root = newPath();
  await json(root, 'init');
  for (const name of ['ann', 'ben']) await register(root, name);
  const message = mailOf('ann', ['ben'], { subject: 'Hello', body: 'Dear Ben' });
  const open = openMailRoot(root, systemClock);
  await deliver(open, message).finally(() => open.close());
  return { root, message };
}

describe('init and status', () => {
  test('a root that is not there is no failure, and init makes it', async () => {
    const root = newPath();
    const reported = { schema_version: 1, mailbox_root: root, mailbox_root_detail: expect.any(String) };
    expect(await json(root, 'status')).toEqual({
      ...reported,
      exists: false,
      bootstrapped: false,
      supported: true,
      protocol_version: null,
      registration_counts: { active: 0, inactive: 0, stashed: 0 },
      structural_state_readable: true,
      error: null,
    });
    expect(existsSync(root)).toBe(false);
    const made = {
      ...reported,
      bootstrapped: true,
      supported: true,
      protocol_version: 3,
      status: 'ready',
      sqlite_path: join(root, 'index.sqlite'),
      rules_dir: join(root, 'rules'),
      mailboxes_dir: join(root, 'mailboxes'),
    };
    expect(await json(root, 'init')).toEqual(made);
    expect(await json(root, 'init')).toEqual(made);
    expect(readdirSync(join(root, 'mailboxes'))).toEqual(['HOUMAO-operator@houmao.localhost']);
    expect(await json(root, 'status')).toMatchObject({
      exists: true,
      bootstrapped: true,
      supported: true,
      protocol_version: 3,
      error: null,
      registration_counts: { active: 1, inactive: 0, stashed: 0 },
    });
    expect((await run(root, 'status')).stdout).toBe(
      `${root} is ready.\n  registrations  1 active, 0 inactive, 0 stashed\n`,
    );
  });

  test('a root of another format is reported by status, and left alone by init', async () => {
    const root = newPath();
    mkdirSync(root);
    writeFileSync(join(root, 'protocol-version.txt'), '1\n');
    expect(await json(root, 'status')).toMatchObject({
      exists: true,
      bootstrapped: false,
      supported: false,
      protocol_version: null,
      registration_counts: null,
      structural_state_readable: false,
      error: expect.stringContaining('protocol-version.txt'),
    });
    expect(await run(root, 'init')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^houmao-mgr: .*says "1", not 3/),
    });
    expect(readdirSync(root)).toEqual(['protocol-version.txt']);
  });

  test('an index that cannot be read is reported by status', async () => {
    const { root } = await filledRoot();
    writeFileSync(
      join(root, 'index.sqlite'),
      'no database at all, and longer than a page of one'.repeat(200),
    );
    expect(await json(root, 'status')).toMatchObject({
      bootstrapped: true,
      registration_counts: null,
      structural_state_readable: false,
      error: expect.stringContaining('index.sqlite'),
    });
    expect((await run(root, 'status')).stdout).toContain(`${root} cannot be used.\n  trouble `);
  });

  test('the root is the one of the flag, else of the environment, else below the current folder', async () => {
    const status = async (more: NodeJS.ProcessEnv, ...args: string[]) =>
      manage({ ...environment, ...more }, ['mailbox', 'status', '--json', ...args]);
    const rootOf = async (...given: Parameters<typeof status>): Promise<string> =>
      JSON.parse((await status(...given)).stdout).mailbox_root;
    const named = { HOUMAO_GLOBAL_MAILBOX_DIR: join(folder, 'named') };
    expect(await rootOf(named, '--mailbox-root', join(folder, 'flag'))).toBe(join(folder, 'flag'));
    expect(await rootOf(named)).toBe(join(folder, 'named'));
    expect(await rootOf({})).toBe(join(process.cwd(), '.houmao', 'mailbox'));
    expect(await rootOf({ HOUMAO_GLOBAL_MAILBOX_DIR: ' ' })).toBe(join(process.cwd(), '.houmao', 'mailbox'));
    expect(await status({ HOUMAO_GLOBAL_MAILBOX_DIR: 'relative' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/_MAILBOX_DIR must be .* relative/),
    });
  });
});

describe('registrations', () => {
  test('one that is there is confirmed, another owner needs consent, and stash keeps the old one', async () => {
    const root = newPath();
    await json(root, 'init');
    const first = await register(root, 'ann');
    expect(first).toEqual({
      schema_version: 1,
      mailbox_root: root,
      mailbox_root_detail: expect.any(String),
      ok: true,
      mode: 'safe',
      address: addressOf('ann'),
      owner_principal_id: 'HOUMAO-ann',
      status: 'active',
      active_registration_id: expect.stringMatching(/^reg-[0-9a-f]{32}$/),
    });
    expect(await register(root, 'ann')).toEqual({ ...first, reused_existing: true });
    const other = ['register', '--address', addressOf('ann'), '--principal-id', 'HOUMAO-zoe'];
    for (const [mode, code] of [
      ['safe', 1],
      ['force', 2],
    ] as const)
      expect(await run(root, ...other, '--mode', mode)).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringMatching(/is registered for HOUMAO-ann .*; add --yes to replace it/),
      });
    const replaced = await json(root, ...other, '--yes');
    expect(replaced).toMatchObject({
      mode: 'force',
      replaced_registration_id: first.active_registration_id,
    });
    const stashed = await json(root, ...other.slice(0, -1), 'HOUMAO-eve', '--mode', 'stash');
    expect(stashed).toMatchObject({
      mode: 'stash',
      stashed_registration_id: replaced.active_registration_id,
      stashed_mailbox_path: expect.stringMatching(/ann@houmao\.localhost--[0-9a-f]{32}$/),
    });
    expect(existsSync(stashed.stashed_mailbox_path)).toBe(true);
    expect((await json(root, 'status')).registration_counts).toEqual({ active: 2, inactive: 1, stashed: 1 });
  });

  test('what an earlier registration says of its owner stays', async () => {
    const { root } = await filledRoot();
    const again = ['--principal-id', 'HOUMAO-operator', '--address', 'HOUMAO-operator@houmao.localhost'];
    expect(await json(root, 'register', ...again)).toMatchObject({ reused_existing: true });
    const { account } = await json(root, 'accounts', 'get', ...again.slice(2));
    expect(account).toMatchObject({ display_name: 'Houmao Operator', role: 'system_operator' });
  });

  test('one that ends is kept for later, or purged', async () => {
    const { root } = await filledRoot();
    const end = (...args: string[]) => json(root, 'unregister', '--address', addressOf('ben'), ...args);
    const ended = await end();
    expect(ended).toMatchObject({
      ok: true,
      mode: 'deactivate',
      address: addressOf('ben'),
      resulting_status: 'inactive',
      deactivated_registration_id: ended.target_registration_id,
    });
    expect(await run(root, 'unregister', '--address', addressOf('ben'))).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('no active mailbox'),
    });
    expect(await register(root, 'ben')).toMatchObject({
      reused_existing: true,
      active_registration_id: ended.target_registration_id,
    });
    expect((await json(root, 'messages', 'list', '--address', addressOf('ben'))).messages).toHaveLength(1);
    expect(await end('--mode', 'purge')).toMatchObject({
      resulting_status: 'purged',
      purged_registration_id: ended.target_registration_id,
    });
    expect(existsSync(join(root, 'mailboxes', addressOf('ben')))).toBe(false);
    const { accounts } = await json(root, 'accounts', 'list');
    expect(accounts.map(({ address }: Answer) => address).sort()).toEqual([
      ...['HOUMAO-operator@houmao.localhost', addressOf('ann')],
    ]);
  });

  test('accounts get prefers the active one, then the one that was set aside', async () => {
    const { root } = await filledRoot();
    const get = async () => (await json(root, 'accounts', 'get', '--address', addressOf('ben'))).account;
    const first = await get();
    expect(first).toMatchObject({
      address: addressOf('ben'),
      owner_principal_id: 'HOUMAO-ben',
      status: 'active',
      mailbox_kind: 'in_root',
      mailbox_path: join(root, 'mailboxes', addressOf('ben')),
      created_at_utc: expect.stringMatching(/Z$/),
      replaced_by_registration_id: null,
    });
    await json(
      root,
      'register',
      '--address',
      addressOf('ben'),
      '--principal-id',
      'HOUMAO-x',
      '--mode',
      'stash',
    );
    expect(await get()).toMatchObject({ owner_principal_id: 'HOUMAO-x', status: 'active' });
    await json(root, 'unregister', '--address', addressOf('ben'));
    expect(await get()).toMatchObject({ registration_id: first.registration_id, status: 'stashed' });
    expect((await run(root, 'accounts', 'list')).stdout).toMatch(
      /^ADDRESS +OWNER +STATUS +KIND +SINCE\n[\s\S]*ben@houmao\.localhost +HOUMAO-ben +stashed +in_root +[\d:]{8} \(.*\)\n/,
    );
    expect((await run(root, 'accounts', 'get', '--address', addressOf('ann'))).stdout).toMatch(
      /^ann@houmao\.localhost {2}active\n {2}owner +HOUMAO-ann\n/,
    );
  });
});

describe('messages', () => {
  test('list names where each lies, and get has its whole document', async () => {
    const { root, message } = await filledRoot();
    const { messageId: id } = message;
    const heading = {
      message_id: id,
      thread_id: id,
      created_at_utc: message.createdAtUtc,
      subject: 'Hello',
      sender_address: addressOf('ann'),
      sender_principal_id: 'HOUMAO-ann',
      folder: 'inbox',
      projection_path: join(root, 'mailboxes', addressOf('ben'), 'inbox', `${id}.md`),
      canonical_path: join(root, 'messages', message.createdAtUtc.slice(0, 10), `${id}.md`),
    };
    const listed = await json(root, 'messages', 'list', '--address', addressOf('ben'));
    expect(listed).toMatchObject({ address: addressOf('ben'), messages: [heading] });
    const get = ['messages', 'get', '--address', addressOf('ben'), '--message-id'];
    const got = await json(root, ...get, id);
    expect(got).toMatchObject({ address: addressOf('ben'), registration_id: listed.registration_id });
    expect(got.message).toMatchObject({
      ...heading,
      in_reply_to: null,
      headers: {},
      attachments: [],
      body_markdown: expect.stringMatching(/^---\n[\s\S]*\n---\n[\s\S]*Dear Ben/),
      sender: { address: addressOf('ann'), owner_principal_id: 'HOUMAO-ann' },
      recipients: [{ kind: 'to', ordinal: 0, address: addressOf('ben') }],
    });
    expect(got.message).not.toHaveProperty('read');
    expect((await json(root, ...get, `filesystem:${id}`)).message).toEqual(got.message);
    expect((await run(root, ...get, id)).stdout).toMatch(/^msg-\S+ {2}Hello\n {2}from +ann@[\s\S]*\n\n---\n/);
    expect((await run(root, 'messages', 'list', '--address', addressOf('ben'))).stdout).toMatch(
      new RegExp(`\n${id} +[\\d:]{8} \\(.*?\\) +inbox +${addressOf('ann')} +Hello\n$`),
    );
  });

  test('a message of somebody else is not shown', async () => {
    const { root, message } = await filledRoot();
    await register(root, 'cat');
    const get = ['messages', 'get', '--address', addressOf('cat'), '--message-id', message.messageId];
    expect(await run(root, ...get)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('mailbox of cat@'),
    });
    expect((await run(root, 'messages', 'list', '--address', addressOf('cat'))).stdout).toBe(
      'cat@houmao.localhost has no mail.\n',
    );
  });
});

describe('refused in a sentence', () => {
  test.each([
    [['accounts', 'list'], 1, 'if there was none yet, `mailbox init` creates one'],
    [
      ['register', '--address', addressOf('ann'), '--principal-id', 'x'],
      1,
      'if there was none yet, `mailbox init` creates one',
    ],
    [['repair'], 1, 'if there was none yet, `mailbox init` creates one'],
    [['register', '--address', 'ann'], 2, "Required option '--principal-id <id>'"],
    [['unregister'], 2, "Required option '--address <address>'"],
    [
      ['register', '--address', 'a@b', '--principal-id', 'x', '--mode', 'bold'],
      2,
      'Allowed choices are safe',
    ],
    [['nonsense'], 2, "Unknown command 'nonsense'"],
  ])('%j of a root that is not there', async (args, code, text) => {
    const ran = await run(join(folder, 'nowhere'), ...args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(text);
    expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  const reserved = addressOf('HOUMAO-x');
  const noMailbox = 'nobody@houmao.localhost has no mailbox here';
  test.each([
    [['register', '--address', 'ann', '--principal-id', 'x'], 2, '"ann" is not '],
    [['register', '--address', reserved, '--principal-id', 'x'], 2, 'is reserved for the system'],
    [['unregister', '--address', 'HOUMAO-operator@houmao.localhost'], 2, 'the operator keeps its mailbox'],
    [['accounts', 'get', '--address', addressOf('nobody')], 5, noMailbox],
    [['messages', 'list', '--address', addressOf('nobody')], 5, noMailbox],
    [['messages', 'get', '--address', addressOf('ann'), '--message-id', 'x'], 2, '"x" names no message'],
  ])('%j of one that is', async (args, code, text) => {
    const { root } = await filledRoot();
    const ran = await run(root, ...args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(text);
    expect(ran.stderr).not.toMatch(/ at .*\.js:\d+/);
  });
});
