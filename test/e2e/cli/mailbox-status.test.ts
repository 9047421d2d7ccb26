import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { manage, managerEnvironment } from '../../support/manager.js';

const folder = mkdtempSync(join(tmpdir(), 'houmao-cli-status-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a file in the place of a root is reported by status', async () => {
  const root = join(folder, 'root');
  writeFileSync(root, 'no folder');
  const ran = await manage(managerEnvironment(folder), [
    'mailbox',
    'status',
    '--mailbox-root',
    root,
    '--json',
  ]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    exists: true,
    bootstrapped: false,
    structural_state_readable: false,
    error: expect.stringContaining(root),
  });
});
