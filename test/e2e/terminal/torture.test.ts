import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const project = new URL('../../../', import.meta.url).pathname;
/** Its few scenarios are short, and have kills of gateway, agent and session, a draft, and prompts of somebody else's. */
const seed = '34614';

test('prompts to terminals that misbehave and are killed break no promise', async () => {
  const options = ['--submissions', '32', '--at-once', '3', '--seed', seed, '--verbose'];
  const run = promisify(execFile)(process.execPath, ['test/torture/main.mjs', '--terminal', ...options], {
    cwd: project,
  });
  const { stdout } = await run.catch((error) => error);
  expect(stdout).toMatch(/^torture: ok;.* 0 broken scenarios, 0 violations$/m);
}, 180_000);
