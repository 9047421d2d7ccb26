import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../src/mail/filesystem/registration/bootstrap.js';
import { addressOf, mailOf, registerName } from '../../support/mail/mail-root.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import type { Answer } from './mail-stage.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-repair-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A root with a message, of which the link to it is gone, and a delivery that was left half done an hour ago. */
async function hurtRoot(): Promise<{ root: string; link: string; staged: string }> {
  const path = mkdtempSync(join(folder, 'root-'));
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['ann', 'ben']) await registerName(root, name);
  const message = mailOf('ann', ['ben']);
  await deliver(root, message);
  root.close();
  const link = join(path, 'mailboxes', addressOf('ben'), 'inbox', `${message.messageId}.md`);
  unlinkSync(link);
  const staged = join(path, 'staging', 'left.md');
  writeFileSync(staged, 'half');
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(staged, anHourAgo, anHourAgo);
  return { root: path, link, staged };
}

async function repair(root: string, ...args: string[]): Promise<Answer> {
  const ran = await manage(managerEnvironment(folder), [
    ...['mailbox', 'repair', '--mailbox-root', root, ...args, '--json'],
  ]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

test('repair makes the link again, and keeps aside what was left half done', async () => {
  const { root, link, staged } = await hurtRoot();
  expect(await repair(root)).toMatchObject({
    schema_version: 1,
    mailbox_root: root,
    ok: true,
    message_count: 1,
    projection_count: 2,
    registration_count: 3,
    staging_action: 'quarantine',
    staging_artifact_count: 1,
    staging_artifact_paths: [staged],
    backed_up_index_path: null,
    damaged: [],
  });
  expect(existsSync(link)).toBe(true);
  const [stamp = ''] = readdirSync(join(root, 'staging', 'quarantine'));
  expect(readdirSync(join(root, 'staging', 'quarantine', stamp))).toEqual(['left.md']);
});

test('what was left half done is removed, or stays, as the flags say', async () => {
  const { root, staged } = await hurtRoot();
  expect(await repair(root, '--no-cleanup-staging')).toMatchObject({
    staging_action: 'leave',
    staging_artifact_count: 0,
    staging_artifact_paths: [],
  });
  expect(existsSync(staged)).toBe(true);
  expect(await repair(root, '--remove-staging')).toMatchObject({
    staging_action: 'remove',
    staging_artifact_paths: [staged],
  });
  expect(readdirSync(join(root, 'staging'))).toEqual([]);
});

test('an index that cannot be read is kept, and a damaged message is reported', async () => {
  const { root, link } = await hurtRoot();
  writeFileSync(join(root, 'index.sqlite'), 'no database');
  const note = join(root, 'messages', '2026-01-01', 'msg-note.md');
  mkdirSync(join(root, 'messages', '2026-01-01'));
  writeFileSync(note, 'no message');
  const repaired = await repair(root);
  expect(repaired).toMatchObject({
    ok: true,
    message_count: 1,
    registration_count: 3,
    backed_up_index_path: expect.stringMatching(/index\.sqlite\.unusable-\d{8}T\d{6}Z\.bak$/),
    damaged: [{ path: note, reason: expect.any(String) }],
  });
  expect(existsSync(repaired.backed_up_index_path)).toBe(true);
  expect(existsSync(link)).toBe(true);
  const reported = await manage(managerEnvironment(folder), ['mailbox', 'repair', '--mailbox-root', root]);
  expect(reported.stdout).toMatch(/^Repaired [\s\S]*\n {2}messages +1\n[\s\S]*left as it is: .*msg-note\.md/);
});
