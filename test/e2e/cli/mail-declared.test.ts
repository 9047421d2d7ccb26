// The mailbox that an agent was launched with: declared in its brain manifest, and given back to it from there.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { manage, managerEnvironment } from '../../support/manager.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'houmao-cli-declared-')));
const environment = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
const json = async (...args: string[]) => {
  const ran = await run(...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
};
const root = join(folder, 'shared');
const account = join(folder, 'private');
const launch = (...more: string[]) => {
  const tool = ['--tool', 'claude', '--executable', '/bin/true', '--workdir', folder];
  const quiet = ['--headless', '--no-tmux', '--no-gateway', '--home', join(folder, 'home')];
  return run('agents', 'launch', ...tool, ...quiet, ...more);
};
const status = () => json('agents', 'mailbox', 'status', 'alpha');
const asLaunched = {
  transport: 'filesystem',
  address: 'first@houmao.localhost',
  principal_id: 'HOUMAO-somebody',
};
let manifestPath: string;
let declared: unknown;
const read = () => JSON.parse(readFileSync(manifestPath, 'utf8'));
const declare = (mailbox: unknown): void => {
  const { brain_manifest_path: path } = read();
  writeFileSync(path, stringify({ ...parse(readFileSync(path, 'utf8')), mailbox }));
};

beforeAll(async () => {
  const names = ['--address', 'first@houmao.localhost', '--principal-id', 'HOUMAO-somebody'];
  const launched = await launch(
    ...['--name', 'alpha', '--mailbox', root, ...names, '--mail-account-dir', account, '--json'],
  );
  expect(launched).toMatchObject({ code: 0 });
  manifestPath = JSON.parse(launched.stdout).manifest_path;
  declared = parse(readFileSync(read().brain_manifest_path, 'utf8')).mailbox;
});
beforeEach(async () => {
  declare({ ...asLaunched, filesystem_root: root });
  await json('agents', 'mailbox', 'register', 'alpha', '--mail-account-dir', account);
});
afterAll(async () => {
  await run('agents', 'stop', 'alpha');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('boxes in a folder of their own, to which the shared one has a link', async () => {
  expect(declared).toEqual({ ...asLaunched, filesystem_root: root });
  expect(read().launch_plan.mailbox).toMatchObject({ mailbox_kind: 'symlink', mailbox_path: account });
  expect(realpathSync(join(root, 'mailboxes', 'first@houmao.localhost'))).toBe(account);
  const alone = await launch('--name', 'beta', '--mail-account-dir', account);
  expect(alone).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--mail-account-dir need --mailbox'),
  });
  const inside = await launch('--name', 'beta', '--mailbox', root, '--mail-account-dir', join(root, 'b'));
  expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining(`must lie outside of ${root}`) });
  expect(existsSync(join(root, 'b'))).toBe(false);
});

test('an agent that lost its mailbox gets the declared one again, with its mail', async () => {
  const to = ['--to', 'first@houmao.localhost', '--subject', 'kept', '--body-content', 'x'];
  await json('agents', 'mail', 'send', 'alpha', ...to);
  await json('agents', 'mailbox', 'unregister', 'alpha');
  expect(await status()).toMatchObject({ registered: false });
  // Its root is known: nobody is asked for it.
  expect((await run('agents', 'mail', 'status', 'alpha')).stderr).toMatch(/mailbox register alpha\n$/);
  const bound = await json('agents', 'mailbox', 'register', 'alpha', '--mail-account-dir', account);
  const same = { address: 'first@houmao.localhost', principal_id: 'HOUMAO-somebody', mailbox_root: root };
  expect(bound).toMatchObject(same);
  const { messages } = await json('agents', 'mail', 'list', 'alpha');
  expect(messages.map(({ subject }: { subject: string }) => subject)).toEqual(['kept']);
});

test('what else is declared is taken where no flag says another', async () => {
  declare({ transport: 'filesystem', address: 'second@houmao.localhost', filesystem_root: root });
  const bound = await json('agents', 'mailbox', 'register', 'alpha');
  expect(bound).toMatchObject({ address: 'second@houmao.localhost', principal_id: 'HOUMAO-alpha' });
  expect(bound.still_registered).toMatchObject({ address: 'first@houmao.localhost', mailbox_root: root });
  const flagged = await json('agents', 'mailbox', 'register', 'alpha', '--address', 'third@houmao.localhost');
  expect(flagged).toMatchObject({ address: 'third@houmao.localhost', mailbox_root: root });
});

test('a section that breaks a rule is refused with its file and field, and nothing changes', async () => {
  const before = await status();
  declare({ transport: 'filesystem', address: ' ' });
  const register = () => run('agents', 'mailbox', 'register', 'alpha');
  const { brain_manifest_path: path } = read();
  expect(await register()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${path}: field /mailbox/address`),
  });
  declare({ transport: 'stalwart' });
  const nowhere = { code: 2, stderr: expect.stringContaining('give --jmap-url') };
  expect(await register()).toMatchObject(nowhere);
  declare({ transport: 'stalwart', base_url: 'http://127.0.0.1:47/' });
  const noSecret = { code: 1, stderr: expect.stringContaining('--credential-file') };
  expect(await register()).toMatchObject(noSecret);
  expect(await status()).toEqual(before);
});
