import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../support/temporary-folder.js';

interface Result {
  code: number;
  passed: number;
  failed: { file: string; name: string | null }[];
  again: boolean[][];
  missing?: string;
}
type Run = (
  program: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv },
) => Promise<{ code: number }>;
const script = new URL('../../../../scripts/gate/run-steps.mjs', import.meta.url).href;
const { StepRunner, closingCounts } = (await import(script)) as {
  StepRunner: new (
    run: Run,
    folder: string,
    show: boolean,
  ) => { run(step: object): Promise<Result>; runAll(steps: object[], together: number): Promise<Result[]> };
  closingCounts(text: string, name: string): { passed: number; failed: object[] };
};
const folder = temporaryFolder();
// The output for people would stand in the middle of the output of these tests.
beforeAll(() => void vi.spyOn(console, 'log').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());
const runnerOf = (run: Run) => new StepRunner(run, mkdtempSync(join(folder, 'logs-')), false);

/** A program that reports as vitest does: what fails the first time, and what fails again when it runs alone. */
function reporting(failing: string[], failingAgain: string[]): Run {
  return (_program, args, { env }) => {
    const alone = args[0] === 'alone';
    const names = alone ? failingAgain.filter((name) => name === args[1]) : failing;
    const failed = names.map((name) => ({ file: 'a.test.ts', kind: 'parts', name, why: 'it broke' }));
    writeFileSync(env.HOUMAO_TEST_REPORT!, JSON.stringify({ passed: 7, failed, files: [], leftOut: {} }));
    return Promise.resolve({ code: failed.length === 0 ? 0 : 1 });
  };
}
const tests = {
  name: 'tests',
  counts: 'tests',
  budget: 1,
  command: ['vitest', 'all'],
  again: ({ name }: { name: string }) => ['vitest', 'alone', name],
};

describe('a step of vitest', () => {
  test('has each failed test run again alone, twice', async () => {
    const result = await runnerOf(reporting(['breaks', 'blinks'], ['breaks'])).run(tests);
    expect([result.passed, result.failed.map(({ name }) => name)]).toEqual([7, ['breaks', 'blinks']]);
    expect(result.again).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test('runs nothing again where more fails than bad luck explains', async () => {
    const many = Array.from({ length: 11 }, (_one, index) => `test ${index}`);
    expect((await runnerOf(reporting(many, [])).run(tests)).again).toEqual([]);
  });

  test('that reports nothing has passed nothing', async () => {
    const result = await runnerOf(() => Promise.resolve({ code: 1 })).run(tests);
    expect([result.code, result.passed, result.failed]).toEqual([1, 0, []]);
  });
});

test('a step whose program is not on the machine is left out, and reported', async () => {
  let ran = false;
  const run: Run = () => {
    ran = true;
    return Promise.resolve({ code: 0 });
  };
  const step = { name: 'a check', counts: 'itself', budget: 1, command: ['it'], needs: ['no-such-program'] };
  const { missing, code } = await runnerOf(run).run(step);
  expect([ran, missing, code]).toEqual([false, 'no-such-program', 0]);
});

test('steps run side by side, and their results keep the order of the steps', async () => {
  const codes: Record<string, number> = { first: 1, second: 2, third: 3 };
  let running = 0;
  let most = 0;
  const run: Run = async (program) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return { code: codes[program]! };
  };
  const steps = Object.keys(codes).map((name) => ({ name, counts: 'itself', budget: 1, command: [name] }));
  const results = await runnerOf(run).runAll(steps, 2);
  expect([results.map(({ code }) => code), most]).toEqual([[1, 2, 3], 2]);
});

test('of a program that is not vitest the last line with counts is read', () => {
  expect(closingCounts('1 passed, 0 failed\nmore\n12 passed, 0 failed\n', 'clients')).toEqual({
    passed: 12,
    failed: [],
  });
  expect(closingCounts('12 passed, 3 failed\n', 'clients').failed).toHaveLength(1);
});
