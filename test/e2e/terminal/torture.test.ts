import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const project = new URL('../../../', import.meta.url).pathname;

test('prompts to terminals that misbehave and are killed break no promise', async () => {
  const args = ['test/torture/main.mjs', '--terminal', '--submissions', '50', '--at-once', '3'];
  const run = promisify(execFile)(process.execPath, args, { cwd: project });
  const { stdout } = await run.catch((error) => error);
  expect(stdout).toMatch(/^torture: ok;.* 0 broken scenarios, 0 violations$/m);
}, 300_000);
