import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';

/** Nothing of this process's environment is in it, as in that of a tmux server or of an agent. */
const environment = { PATH: process.env.PATH };

test('leaves a process that has nothing but its folder on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forgotten-'));
  const child = spawn('sh', ['-c', 'sleep 600; true', folder], {
    cwd: '/',
    env: environment,
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
});
