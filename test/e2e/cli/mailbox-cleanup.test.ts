import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';
import type { Answer } from './mail-stage.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-cleanup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (root: string, ...args: string[]) =>
  manage(managerEnvironment(folder), ['mailbox', ...args, '--mailbox-root', root]);

async function json(root: string, ...args: string[]): Promise<Answer> {
  const ran = await run(root, ...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

const register = (root: string, address: string, owner: string, ...more: string[]) =>
  json(root, 'register', '--address', address, '--principal-id', owner, ...more);

/** One address with an inactive, a stashed and an active registration, and one that is only inactive. */
async function rootWithHistory() {
  const root = mkdtempSync(join(folder, 'root-'));
  await json(root, 'init');
  const replaced = await register(root, 'ann@x', 'first');
  const stashed = await register(root, 'ann@x', 'second', '--yes');
  const active = await register(root, 'ann@x', 'third', '--mode', 'stash');
  const gone = await register(root, 'ben@x', 'ben');
  await json(root, 'unregister', '--address', 'ben@x');
  return {
    root,
    ids: [replaced, stashed, gone].map((one) => one.active_registration_id as string),
    active,
    stashedPath: active.stashed_mailbox_path as string,
  };
}

const idsOf = (actions: Answer[]): string[] => actions.map(({ details }) => details?.registration_id);

test('a dry run tells what would go, and changes nothing', async () => {
  const { root, ids, active, stashedPath } = await rootWithHistory();
  const before = await json(root, 'accounts', 'list');
  const reported = await json(root, 'cleanup', '--dry-run');
  expect(reported).toMatchObject({
    dry_run: true,
    scope: { kind: 'mailbox_cleanup' },
    resolution: { authority: 'mailbox_root' },
    applied_actions: [],
    blocked_actions: [],
    summary: { planned_count: 3, applied_count: 0, blocked_count: 0, preserved_count: 3 },
  });
  expect(idsOf(reported.planned_actions).sort()).toEqual([...ids].sort());
  expect(reported.preserved_actions).toContainEqual({
    artifact_kind: 'active_registration',
    path: join(root, 'mailboxes', 'ann@x'),
    proposed_action: 'preserve',
    reason: 'it is active',
    details: {
      address: 'ann@x',
      registration_id: active.active_registration_id,
      registration_status: 'active',
    },
  });
  expect(await run(root, 'cleanup')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect((await run(root, 'cleanup', '--dry-run')).stdout).toMatch(/^would be removed +ann@x +reg-/m);
  expect((await json(root, 'accounts', 'list')).accounts).toEqual(before.accounts);
  expect(existsSync(stashedPath)).toBe(true);
});

test('what is over goes with its folder, but not the folder that an active registration has by now', async () => {
  const { root, ids, active, stashedPath } = await rootWithHistory();
  const done = await json(root, 'cleanup', '--yes');
  expect(idsOf(done.applied_actions).sort()).toEqual([...ids].sort());
  expect(done.summary).toEqual({ planned_count: 0, applied_count: 3, blocked_count: 0, preserved_count: 3 });
  expect([stashedPath, join(root, 'mailboxes', 'ben@x')].map((path) => existsSync(path))).toEqual([
    false,
    false,
  ]);
  expect(existsSync(join(root, 'mailboxes', 'ann@x', 'mailbox.sqlite'))).toBe(true);
  expect((await json(root, 'accounts', 'get', '--address', 'ann@x')).account).toMatchObject({
    registration_id: active.active_registration_id,
    owner_principal_id: 'third',
    status: 'active',
  });
  expect((await json(root, 'status')).registration_counts).toEqual({ active: 2, inactive: 0, stashed: 0 });
  expect((await run(root, 'cleanup', '--yes')).stdout).toBe('There is nothing to clean up.\n');
});

test('what is over for less than it should be stays, and so does the folder it shares', async () => {
  const { root, ids, stashedPath } = await rootWithHistory();
  const old = ['--inactive-older-than-seconds', '3600'];
  const done = await json(root, 'cleanup', '--yes', ...old);
  expect(idsOf(done.applied_actions)).toEqual([ids[1]]);
  expect(existsSync(stashedPath)).toBe(false);
  expect(existsSync(join(root, 'mailboxes', 'ben@x'))).toBe(true);
  const other = await json(root, 'cleanup', '--yes', ...old, '--stashed-older-than-seconds', '3600');
  expect(other.applied_actions).toEqual([]);
  expect(await run(root, 'cleanup', '--inactive-older-than-seconds', '-1')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('a duration, at least 0s'),
  });
});
