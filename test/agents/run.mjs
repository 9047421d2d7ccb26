// `npm run test:agents [-- vitest arguments]`: installs the pinned CLIs, then runs vitest for test/agents inside
// a sandbox without a network (../support/isolation.mjs). The exit code is vitest's; 2 means it could not start.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnshare, IsolationError, runIsolated } from '../support/isolation.mjs';
import { installAgents } from './harness/install-agents.mjs';

const TIME_LIMIT_MS = 30 * 60_000;
const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The gateway under test is the built one; `npm run test:agents` has built it, a bare call may not have. */
function ensureBuilt() {
  if (existsSync(path.join(project, 'dist/programs/houmao-gateway.js'))) return;
  console.log('agents: building, there is no dist/ yet');
  const { status } = spawnSync(process.execPath, [path.join(project, 'scripts/build.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the build failed; see above');
}

async function main() {
  findUnshare();
  ensureBuilt();
  const { dir, paths } = await installAgents();
  const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
  const config = path.join(project, 'test/agents/vitest.config.ts');
  const command = [process.execPath, vitest, 'run', '--config', config, ...process.argv.slice(2)];
  console.log('agents: running vitest without a network');
  return runIsolated(command, {
    cwd: project,
    visible: [dir],
    env: {
      HOUMAO_AGENT_PATHS: JSON.stringify(paths),
      HOUMAO_TEST_REPORT: process.env.HOUMAO_TEST_REPORT ?? '',
    },
    timeLimitMs: TIME_LIMIT_MS,
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`agents: ${error instanceof IsolationError ? error.message : error}`);
  process.exitCode = 2;
}
