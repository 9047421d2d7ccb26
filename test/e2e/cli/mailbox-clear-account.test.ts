import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/clock.js';
import { openDatabase } from '../../../src/foundation/open-database.js';
import { deliver } from '../../../src/mail/filesystem/mailbox/deliver.js';
import { openMailRoot } from '../../../src/mail/filesystem/open-mail-root.js';
import { bootstrap } from '../../../src/mail/filesystem/registration/bootstrap.js';
import { addressOf, mailOf, registerName, subjectsOf } from '../../support/mail/mail-root.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import type { Answer } from './mail-stage.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-clear-account-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clear = (root: string, name: string, ...args: string[]) =>
  manage(managerEnvironment(folder), [
    ...['mailbox', 'messages', 'clear', '--mailbox-root', root, '--address', addressOf(name), ...args],
  ]);
async function cleared(root: string, name: string, ...args: string[]): Promise<Answer> {
  const ran = await clear(root, name, ...args, '--json');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout);
}

/** Ann wrote to Ben; Ben wrote to himself, with a copy that the root keeps, and a draft that is no mail lies in his inbox. */
async function filledRoot(): Promise<{ path: string; shared: string; alone: string }> {
  const path = mkdtempSync(join(folder, 'root-'));
  const root = openMailRoot(path, systemClock);
  await bootstrap(root);
  for (const name of ['ann', 'ben']) await registerName(root, name);
  const shared = mailOf('ann', ['ben'], { subject: 'shared' });
  await deliver(root, shared);
  const kept = join(path, 'attachments', 'managed', 'att-000000000001');
  mkdirSync(kept);
  writeFileSync(join(kept, 'copy.txt'), 'copy');
  const alone = mailOf('ben', ['ben'], {
    subject: 'alone',
    attachments: [
      {
        attachmentId: 'att-000000000001',
        kind: 'managed_copy',
        path: join(kept, 'copy.txt'),
        label: null,
        mediaType: 'text/plain',
        sha256: null,
        sizeBytes: 4,
      },
    ],
  });
  await deliver(root, alone);
  root.close();
  writeFileSync(join(path, 'mailboxes', addressOf('ben'), 'inbox', 'draft.txt'), 'of his own');
  return { path, shared: shared.messageId, alone: alone.messageId };
}

const fileOf = (root: string, id: string): string => {
  const stamp = id.slice(4, 12);
  return join(root, 'messages', `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6)}`, `${id}.md`);
};
async function inRoot<T>(
  path: string,
  work: (root: ReturnType<typeof openMailRoot>) => Promise<T>,
): Promise<T> {
  const root = openMailRoot(path, systemClock);
  return work(root).finally(() => root.close());
}

test('without consent nothing is removed, and a dry run tells what would be', async () => {
  const { path, alone } = await filledRoot();
  expect(await clear(path, 'ben')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--yes'),
  });
  const reported = await cleared(path, 'ben', '--dry-run');
  expect(reported).toMatchObject({
    dry_run: true,
    applied_actions: [],
    blocked_actions: [],
    scope: { kind: 'mailbox_account_message_clear', address: addressOf('ben') },
    summary: { planned_count: 6, applied_count: 0, preserved_count: 2 },
  });
  expect(existsSync(fileOf(path, alone))).toBe(true);
  const subjects = await inRoot(path, (root) => subjectsOf(root, 'ben'));
  expect(subjects.sort()).toEqual(['alone', 'shared']);
});

test('the boxes of one account are emptied, and what others have stays theirs', async () => {
  const { path, shared, alone } = await filledRoot();
  const done = await cleared(path, 'ben', '--yes');
  expect(done.summary).toEqual({ planned_count: 0, applied_count: 6, blocked_count: 0, preserved_count: 2 });
  expect([existsSync(fileOf(path, shared)), existsSync(fileOf(path, alone))]).toEqual([true, false]);
  expect(readdirSync(join(path, 'attachments', 'managed'))).toEqual([]);
  expect(readdirSync(join(path, 'mailboxes', addressOf('ben'), 'inbox'))).toEqual(['draft.txt']);
  await inRoot(path, async (root) => {
    expect(await subjectsOf(root, 'ben')).toEqual([]);
    expect(await subjectsOf(root, 'ben', 'sent')).toEqual([]);
    expect(await subjectsOf(root, 'ann', 'sent')).toEqual(['shared']);
    await deliver(root, mailOf('ann', ['ben'], { subject: 'later' }));
    expect(await subjectsOf(root, 'ben')).toEqual(['later']);
  });
  const index = openDatabase(join(path, 'index.sqlite'), { readonly: true });
  expect(index.prepare('SELECT COUNT(*) AS n FROM attachments').get()).toEqual({ n: 0 });
  index.close();
  expect((await clear(path, 'ann', '--yes')).stdout).toBe(
    `Removed 2 messages from the boxes of ${addressOf('ann')}.\n1 of them stays for others who have it too.\n`,
  );
});

test('a message that another mailbox has a link to stays, also when the index does not say so', async () => {
  const { path, shared } = await filledRoot();
  const index = openDatabase(join(path, 'index.sqlite'));
  index.prepare("DELETE FROM mailbox_projections WHERE folder_name = 'sent' AND message_id = ?").run(shared);
  index.close();
  await cleared(path, 'ben', '--yes');
  expect(existsSync(fileOf(path, shared))).toBe(true);
});

test('an address without a mailbox is reported', async () => {
  const { path } = await filledRoot();
  expect(await clear(path, 'nobody', '--yes')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('nobody@houmao.localhost has no mailbox here'),
  });
});
