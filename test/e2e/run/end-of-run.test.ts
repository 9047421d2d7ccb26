import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.js';

const project = new URL('../../../', import.meta.url).pathname;
const folder = temporaryFolder();
let runs = 0;

interface Run {
  code: number | null;
  output: string;
  /** The names left in the folder that it was given for temporary files. */
  left: string[];
}

/** A run of the tests in one file of planted/, with its own folder for temporary files. */
function runOf(fixture: string, ...more: string[]): Promise<Run> {
  runs += 1;
  const place = join(folder, String(runs));
  mkdirSync(place);
  const args = ['run', '--config', 'test/e2e/run/planted/vitest.config.ts', `${fixture}.fixture.ts`, ...more];
  const child = spawn(process.execPath, [join(project, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, TMPDIR: place, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, left: readdirSync(place) }));
  });
}

test('a run whose tests leave nothing passes, and its folder is gone', async () => {
  const { code, output, left } = await runOf('nothing');
  expect([code, output, left]).toEqual([0, expect.stringContaining('left out: no test'), []]);
});

test('a process that is left fails the run although its tests passed, is named and ended', async () => {
  const [leaking, other] = await Promise.all([runOf('process'), runOf('nothing')]);
  expect([leaking.code, leaking.output]).toEqual([1, expect.stringContaining('1 passed')]);
  const named = /process (\d+): sh -c sleep 600; true (\S+)\n/.exec(leaking.output);
  expect(named?.[2]).toContain('/e2e-run-planted-process.fixture.ts/forgotten-');
  await expect.poll(() => existsSync(`/proc/${named?.[1]}`)).toBe(false);
  // The run beside it has nothing to do with it.
  expect([other.code, other.output]).toEqual([0, expect.not.stringContaining('forgotten-')]);
});

test('a folder that is left fails the run, is named and stays to be looked at', async () => {
  const { code, output, left } = await runOf('folder');
  expect([code, output]).toEqual([1, expect.stringContaining('1 passed')]);
  const named = /^ {2}(\/\S+\/forgotten-\S+)$/m.exec(output)?.[1] ?? '';
  expect([existsSync(named), left.length]).toEqual([true, 1]);
});

test('tests that are left out are reported with their number and the reason', async () => {
  const { code, output } = await runOf('left-out');
  expect([code, output]).toEqual([0, expect.stringContaining('left out: 3 tests that need the moon\n')]);
});

test('a test that is left out without a reason fails the run, unless `-t` left it out', async () => {
  const { code, output } = await runOf('silently');
  expect([code, output]).toEqual([
    1,
    expect.stringContaining(
      'left out without a reason: test/e2e/run/planted/silently.fixture.ts > does not say why\n',
    ),
  ]);
  expect(await runOf('left-out', '-t', 'runs')).toMatchObject({ code: 0 });
});

test('a test that a failed hook kept from running is no matter of reasons', async () => {
  const { code, output } = await runOf('failing-hook');
  expect([code, output]).toEqual([1, expect.not.stringContaining('left out without a reason')]);
  expect(output).toContain('of the hook');
});
