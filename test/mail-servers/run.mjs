// `npm run test:mail-servers [-- vitest arguments]`: fetches the mail servers that Debian does not have, then runs vitest for
// test/mail-servers/ where nothing but loopback exists: James takes JMAP on every address of a machine. The exit code is vitest's;
// 2 means it could not start.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnshare, runIsolated } from '../support/isolation.mjs';
import { installJames } from '../support/jmap/james/install-james.mjs';

const TIME_LIMIT_MS = 10 * 60_000;
const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

try {
  findUnshare();
  const jars = installJames((line) => console.log(`houmao: ${line}`));
  const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
  const config = path.join(project, 'test/mail-servers/vitest.config.ts');
  const command = [process.execPath, vitest, 'run', '--config', config, ...process.argv.slice(2)];
  process.exitCode = await runIsolated(command, {
    cwd: project,
    visible: [jars],
    env: { HOUMAO_JAMES_JARS: jars, HOUMAO_TEST_REPORT: process.env.HOUMAO_TEST_REPORT ?? '' },
    timeLimitMs: TIME_LIMIT_MS,
  });
} catch (error) {
  console.error(`houmao: ${error.message}`);
  process.exitCode = 2;
}
