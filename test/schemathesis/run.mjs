// `npm run test:schemathesis [-- arguments of schemathesis run]`: Schemathesis, pinned, against live gateways and servers
// with the stand-in agent. They answer 500 to answers of their own that break the contract.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../scripts/tools/python-environment.mjs';
import { liveSurfaces } from '../support/live-surface.mjs';

const here = dirname(fileURLToPath(import.meta.url));
process.chdir(resolve(here, '../..'));
/** `--surface gateway` runs those of one surface alone; everything else is for Schemathesis. */
const [flag, name, ...rest] = process.argv.slice(2);
const [wanted, more] = flag === '--surface' ? [name, rest] : [undefined, process.argv.slice(2)];
const say = (line) => console.log(`schemathesis: ${line}`);

// In one run over everything the stateful phase soon runs out of steps and leaves most links alone. So it has a run of
// its own for each family of operations that the contract links.
const families = {
  gateway: [['requests', 'turns'], ['control', 'turns'], ['reminders']],
  'managed-agent': [
    ['requests', 'turns'],
    ['gateway-requests', 'gateway-turns', 'gateway-events'],
    ['gateway-reminders'],
  ],
};
/** The operations that would end the program that is called, or take its only agent or gateway away for all that follows. */
const left = {
  gateway: [],
  'managed-agent': ['shutdownServer', 'stopAgent', 'attachGateway', 'detachGateway'],
};
const runs = Object.entries(families).flatMap(([surface, linked]) => {
  const excluded = left[surface].flatMap((id) => ['--exclude-operation-id', id]);
  return [
    { surface, name: `${surface}: every operation, every phase`, flags: excluded },
    ...linked.map((tags) => ({
      surface,
      name: `${surface}: links of ${tags.join(' and ')}`,
      flags: ['--phases', 'stateful', ...tags.flatMap((tag) => ['--include-tag', tag])],
    })),
  ];
});

/** Against a program of its own: one run must not find the queue that another one paused. */
async function runAlone(programs, { surface, flags }) {
  const live = await liveSurfaces[surface]('schemathesis');
  return schemathesis(programs, live, flags).finally(() => live.end());
}

/** The data that it stores belongs to this run alone. */
async function schemathesis(programs, { url, folder, agentRef }, flags) {
  const junit = join(folder, 'junit.xml');
  const child = spawn(
    join(programs, 'schemathesis'),
    [
      ...['--config-file', join(here, 'schemathesis.toml'), 'run', `${url}/openapi.json`, '--no-color'],
      ...['--report-junit-path', junit, ...flags, ...more],
    ],
    {
      cwd: folder,
      stdio: 'inherit',
      env: { ...process.env, SCHEMATHESIS_HOOKS: join(here, 'hooks.py'), HOUMAO_AGENT_REF: agentRef ?? '' },
    },
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
  for (const run of runs.filter(({ surface }) => wanted === undefined || surface === wanted)) {
    say(run.name);
    const { passed, failed } = await runAlone(programs, run);
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
