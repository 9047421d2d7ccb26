import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

interface FailedTest {
  file: string;
  kind: string;
  name: string | null;
  why: string;
}
interface StepResult {
  name: string;
  seconds: number;
  budget: number;
  code: number;
  passed: number;
  failed: FailedTest[];
  again: boolean[][];
  leftOut: Record<string, number>;
  files: { file: string; seconds: number }[];
  missing?: string;
}
const script = new URL('../../../../scripts/gate/verdict.mjs', import.meta.url).href;
const { sumUp, verdictOf } = (await import(script)) as {
  verdictOf(result: StepResult): {
    passed: number;
    failed: FailedTest[];
    unstable: FailedTest[];
    broken: boolean;
  };
  sumUp(
    results: StepResult[],
    options: { strict: boolean },
  ): { passed: number; failed: number; unstable: FailedTest[]; reasons: string[] };
};

const failing = (name: string, kind = 'parts'): FailedTest => ({
  file: 'test/unit/a.test.ts',
  kind,
  name,
  why: 'expected 1 to be 2',
});
const step = (over: Partial<StepResult> = {}): StepResult => ({
  name: 'a step',
  seconds: 1,
  budget: 10,
  code: 0,
  passed: 3,
  failed: [],
  again: [],
  leftOut: {},
  files: [],
  ...over,
});
const withFailures = (again: boolean[][], kind = 'parts') =>
  step({ code: 1, failed: again.map((_runs, index) => failing(`test ${index}`, kind)), again });

describe('of one step', () => {
  test('a failed test is unstable where it passed each time that it ran again, else failed', () => {
    const { passed, failed, unstable, broken } = verdictOf(
      withFailures([
        [true, true],
        [true, false],
        [false, true],
        [false, false],
      ]),
    );
    expect(unstable.map(({ name }) => name)).toEqual(['test 0']);
    expect(failed.map(({ name }) => name)).toEqual(['test 1', 'test 2', 'test 3']);
    expect([passed, broken]).toEqual([4, false]);
  });

  test('a failed test that did not run again is failed', () => {
    const { failed, unstable } = verdictOf(step({ code: 1, failed: [failing('it')], again: [] }));
    expect([failed.length, unstable.length]).toEqual([1, 0]);
  });

  test('a program that fails without a failed test is broken', () => {
    expect(verdictOf(step({ code: 1 })).broken).toBe(true);
  });
});

describe('of a run', () => {
  const passes = [true, true];

  test('three unstable tests are let pass and named, a fourth fails the run', () => {
    const three = sumUp([withFailures([passes, passes]), withFailures([passes])], { strict: true });
    expect([three.failed, three.unstable.length, three.passed]).toEqual([0, 3, 9]);
    expect(sumUp([withFailures([passes, passes, passes, passes])], { strict: true }).failed).toBe(1);
  });

  test('a pure test that is unstable fails the run', () => {
    expect(sumUp([withFailures([passes], 'pure')], { strict: true }).failed).toBe(1);
  });

  test('a step that takes more than twice its budget fails where budgets count', () => {
    const slow = [step({ seconds: 20.1, budget: 10 })];
    expect(sumUp(slow, { strict: true }).reasons).toEqual([expect.stringContaining('a step')]);
    expect(sumUp(slow, { strict: false }).failed).toBe(0);
    expect(sumUp([step({ seconds: 20, budget: 10 })], { strict: true }).failed).toBe(0);
  });

  test('a step that was left out fails a strict run', () => {
    const lacking = [step({ missing: 'java' })];
    expect([sumUp(lacking, { strict: true }).failed, sumUp(lacking, { strict: false }).failed]).toEqual([
      1, 0,
    ]);
  });

  test('no failure is lost: a step that did not exit with 0 fails the run, unless all of its failures were unstable', () => {
    const again = fc.array(fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(again, { maxLength: 4 }), (steps) => {
        const results = steps.map((runs) => ({ ...withFailures(runs), code: 1 }));
        const lost = steps.filter((runs) => runs.length > 0 && runs.every((run) => run.every(Boolean)));
        const unstable = lost.flat().length;
        const { failed } = sumUp(results, { strict: true });
        if (lost.length < steps.length || unstable > 3) expect(failed).toBeGreaterThan(0);
        else expect(failed).toBe(0);
      }),
    );
  });
});
