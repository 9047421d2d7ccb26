import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { surroundingsOf } from '../../../src/foundation/processes.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('are those that a live process was started with; a dead one has none', async () => {
  const cwd = temporaryFolder();
  const child = spawn('sleep', ['600'], { cwd, env: { PATH: process.env.PATH, WITH: 'a=b', EMPTY: '' } });
  await expect
    .poll(() => surroundingsOf(child.pid ?? 0))
    .toMatchObject({
      workingDirectory: cwd,
      executable: expect.stringMatching(/sleep|busybox|coreutils/),
      environment: { PATH: process.env.PATH, WITH: 'a=b', EMPTY: '' },
    });
  const gone = once(child, 'exit');
  child.kill();
  await gone;
  expect(surroundingsOf(child.pid ?? 0)).toBeNull();
});
