// `npm run test:older [-- vitest arguments]`: the older implementation as it is published, beside ours, in a sandbox without a
// network (../support/isolation.mjs). The exit code is vitest's; 2 means it could not start.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../scripts/tools/python-environment.mjs';
import { runCommand } from '../../scripts/tools/run-command.mjs';
import { findUnshare, runIsolated } from '../support/isolation.mjs';

const timeLimitMs = 15 * 60_000;
const here = path.dirname(fileURLToPath(import.meta.url));
const project = path.resolve(here, '../..');
process.chdir(project);

async function main() {
  if (!existsSync('dist/programs/houmao-mgr.js'))
    throw new Error('there is no dist/ yet: npm run test:older');
  findUnshare();
  const say = (line) => console.log(`older: ${line}`);
  const programs = pythonEnvironment('older', path.join(here, 'requirements.txt'), say);
  const [prefix] = runCommand(path.join(programs, 'python'), [
    '-c',
    'import sys; print(sys.base_prefix)',
  ]).split('\n');
  const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
  const config = path.join(here, 'vitest.config.ts');
  say('running vitest without a network');
  return runIsolated([process.execPath, vitest, 'run', '--config', config, ...process.argv.slice(2)], {
    cwd: project,
    visible: prefix === '/usr' ? [] : [prefix],
    env: {
      HOUMAO_OLDER_PROGRAMS: programs,
      HOUMAO_TEST_REPORT: process.env.HOUMAO_TEST_REPORT ?? '',
    },
    timeLimitMs,
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`older: ${error.message}`);
  process.exitCode = 2;
}
