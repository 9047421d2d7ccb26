// `npm run test:schemathesis [-- arguments of schemathesis run]`: Schemathesis, pinned, against live gateways with the
// stand-in agent. A gateway answers 500 to answers of its own that break the contract.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../scripts/tools/python-environment.mjs';
import { launchGateway } from '../torture/gateway.mjs';
import { makeSession } from '../torture/session.mjs';

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(resolve(here, '../..'));
const say = (line) => console.log(`schemathesis: ${line}`);

// In one run over everything the stateful phase soon runs out of steps and leaves most links alone. So it has a run of
// its own for each family of operations that the contract links.
const families = [['requests', 'turns'], ['control', 'turns'], ['reminders']];
const runs = [
  { name: 'every operation, every phase', flags: [] },
  ...families.map((tags) => ({
    name: `links of ${tags.join(' and ')}`,
    flags: ['--phases', 'stateful', ...tags.flatMap((tag) => ['--include-tag', tag])],
  })),
];

/** Against a gateway of its own: one run must not find the queue that another one paused. */
async function runAlone(programs, flags) {
  const mailbox = (folder) => ({ root: join(folder, 'mailbox'), address: null, principalId: null });
  const session = await makeSession('schemathesis', mailbox);
  const gateway = launchGateway(session);
  try {
    const url = await gateway.ready;
    if (url === null) throw new Error(`the gateway did not start: ${gateway.stderr()}`);
    return await schemathesis(programs, url, session.folder, flags).finally(() => gateway.end('clean'));
  } finally {
    session.remove();
  }
}

/** @param folder where it may store things; they belong to this run alone. */
async function schemathesis(programs, url, folder, flags) {
  const junit = join(folder, 'junit.xml');
  const child = spawn(
    join(programs, 'schemathesis'),
    [
      ...['--config-file', join(here, 'schemathesis.toml'), 'run', `${url}/openapi.json`, '--no-color'],
      ...['--report-junit-path', junit, ...flags, ...process.argv.slice(2)],
    ],
    { cwd: folder, stdio: 'inherit', env: { ...process.env, SCHEMATHESIS_HOOKS: join(here, 'hooks.py') } },
  );
  const [status] = await once(child, 'exit');
  return count(status, existsSync(junit) ? readFileSync(junit, 'utf8') : '');
}

/** A report of nothing, or one without a failure beside a bad exit code, is a failure too. */
function count(status, report) {
  const sums = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? '';
  const [tests = 0, failures = 0, errors = 0] = ['tests', 'failures', 'errors'].map((name) =>
    Number(new RegExp(`\\b${name}="(\\d+)"`).exec(sums)?.[1] ?? 0),
  );
  const failed = failures + errors;
  return { passed: tests - failed, failed: failed === 0 && (status !== 0 || tests === 0) ? 1 : failed };
}

async function main() {
  const programs = pythonEnvironment('schemathesis', join(here, 'requirements.txt'), say);
  const sums = { passed: 0, failed: 0 };
  for (const { name, flags } of runs) {
    say(name);
    const { passed, failed } = await runAlone(programs, flags);
    sums.passed += passed;
    sums.failed += failed;
  }
  console.log(`${sums.passed} passed, ${sums.failed} failed`);
  return sums.failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`schemathesis: ${error.message}`);
  process.exitCode = 1;
}
