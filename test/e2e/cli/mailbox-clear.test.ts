import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../src/mail/filesystem/registration/bootstrap.js';
import { addressOf, mailOf, registerName } from '../../support/mail/mail-root.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import type { Answer } from './mail-stage.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-clear-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clear = (root: string, ...args: string[]) =>
  manage(managerEnvironment(folder), ['mailbox', 'clear-messages', '--mailbox-root', root, ...args]);

async function cleared(root: string, ...args: string[]): Promise<Answer> {
  const ran = await clear(root, ...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

/** Two messages between two mailboxes, one of them with a file that stays where it lies, and a copy that the root keeps. */
async function filledRoot(): Promise<string> {
  const path = mkdtempSync(join(folder, 'root-'));
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['ann', 'ben']) await registerName(root, name);
  for (const subject of ['one', 'two']) await deliver(root, mailOf('ann', ['ben'], { subject }));
  root.close();
  mkdirSync(join(path, 'attachments', 'managed', 'att-1'));
  writeFileSync(join(path, 'attachments', 'managed', 'att-1', 'copy.txt'), 'copy');
  return path;
}

/** Every file and link below, without the databases. */
const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        !entry.isDirectory() && !entry.name.endsWith('.sqlite') && !entry.parentPath.includes('rules'),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

test('without consent nothing is removed, and a dry run tells what would be', async () => {
  const root = await filledRoot();
  const before = filesIn(root);
  expect(await clear(root)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('add --yes to do it'),
  });
  const reported = await cleared(root, '--dry-run');
  expect(reported).toMatchObject({
    dry_run: true,
    scope: { kind: 'mailbox_message_clear' },
    applied_actions: [],
    summary: { planned_count: 10, applied_count: 0, blocked_count: 0, preserved_count: 3 },
  });
  const kinds = reported.planned_actions.map((one: Answer) => one.artifact_kind);
  expect(
    Object.fromEntries(
      [...new Set(kinds)].map((kind) => [kind, kinds.filter((one: string) => one === kind).length]),
    ),
  ).toEqual({
    canonical_message: 2,
    mailbox_projection: 4,
    managed_attachment: 1,
    mailbox_local_state: 3,
  });
  expect(filesIn(root)).toEqual(before);
});

test('every message goes, with links, copies and states; registrations stay and get mail again', async () => {
  const root = await filledRoot();
  const stranger = join(root, 'mailboxes', addressOf('ben'), 'inbox', 'own-note.md');
  writeFileSync(stranger, 'no link');
  const done = await cleared(root, '--yes');
  expect(done.summary).toEqual({ planned_count: 0, applied_count: 10, blocked_count: 0, preserved_count: 3 });
  expect(filesIn(root)).toEqual(['protocol-version.txt', stranger.slice(root.length + 1)].sort());
  const index = openDatabase(join(root, 'index.sqlite'), { readonly: true });
  for (const table of [
    'messages',
    'message_recipients',
    'mailbox_projections',
    'attachments',
    'thread_summaries',
  ])
    expect([table, index.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get()]).toEqual([table, { n: 0 }]);
  index.close();
  const open = openMailRoot(root, systemClock);
  expect(open.database(join(root, 'mailboxes', addressOf('ben'))).states.all()).toEqual([]);
  await deliver(open, mailOf('ann', ['ben'], { subject: 'three' })).finally(() => open.close());
  expect((await clear(root, '--yes')).stdout).toBe('Removed 1 message.\n');
});

test('what stands in the place of a link is left as it is', async () => {
  const root = await filledRoot();
  const inbox = join(root, 'mailboxes', addressOf('ben'), 'inbox');
  const [link = ''] = readdirSync(inbox);
  rmSync(join(inbox, link));
  writeFileSync(join(inbox, link), 'a file of its own');
  const done = await cleared(root, '--yes');
  expect(done.blocked_actions).toEqual([
    {
      artifact_kind: 'mailbox_projection',
      path: join(inbox, link),
      proposed_action: 'remove',
      reason: 'it is not a link of its mailbox',
    },
  ]);
  expect(existsSync(join(inbox, link))).toBe(true);
});
