// The verdict on a run of steps: pure. A failed test was run again alone, twice, by the time it gets here.

/** A run with more unstable tests than this fails: then it is no bad luck any more. */
export const mostUnstable = 3;
/** A step that takes this many times its budget fails the run. */
export const mostOfBudget = 2;

/**
 * @typedef {{ file: string, kind: string, name: string | null, why: string }} FailedTest
 * @typedef {{
 *   name: string, seconds: number, budget: number, code: number, passed: number, failed: FailedTest[], again: boolean[][],
 *   leftOut: Record<string, number>, files: { file: string, seconds: number }[], missing?: string,
 * }} StepResult `code` is the exit code of the program; `again` has for each failed test whether it passed when it ran again, and is
 *   empty where it did not. `missing` is
 *   the program that the machine lacks, for which the whole step was left out
 */

/**
 * @param {StepResult} result
 * @returns {{ passed: number, failed: FailedTest[], unstable: FailedTest[], broken: boolean }} an unstable test counts as passed;
 *   `broken` where the step failed without a test that did
 */
export function verdictOf({ code, passed, failed, again }) {
  const isUnstable = (index) => (again[index]?.length ?? 0) > 0 && again[index].every(Boolean);
  const unstable = failed.filter((_test, index) => isUnstable(index));
  return {
    passed: passed + unstable.length,
    failed: failed.filter((_test, index) => !isUnstable(index)),
    unstable,
    broken: code !== 0 && failed.length === 0,
  };
}

/**
 * @param {readonly StepResult[]} results
 * @param {{ strict: boolean }} options whether a step that takes too long, or was left out, fails the run
 * @returns {{ passed: number, failed: number, unstable: FailedTest[], reasons: string[] }} `reasons` has a line for each failure
 */
export function sumUp(results, { strict }) {
  const verdicts = results.map((result) => ({ ...result, ...verdictOf(result) }));
  const unstable = verdicts.flatMap((one) => one.unstable);
  const reasons = [
    ...verdicts.filter(({ broken }) => broken).map(({ name, code }) => `${name}: failed (exit code ${code})`),
    ...verdicts.flatMap(({ failed }) => failed.map((test) => `${titleOf(test)}\n${indent(test.why)}`)),
    ...unstable
      .filter(({ kind }) => kind === 'pure')
      .map(
        (test) =>
          `${titleOf(test)}\n${indent('a pure test is unstable: nothing outside it can be the cause')}`,
      ),
    ...(unstable.length > mostUnstable
      ? [`${unstable.length} tests are unstable, more than ${mostUnstable}`]
      : []),
    ...(strict ? results.filter(isOverBudget).map(overBudget) : []),
    ...(strict ? results.filter(({ missing }) => missing !== undefined).map(leftOutStep) : []),
  ];
  const passed = verdicts.reduce((sum, one) => sum + one.passed, 0);
  return { passed, failed: reasons.length, unstable, reasons };
}

export const titleOf = ({ file, name }) => (name === null ? file : `${file} > ${name}`);
const indent = (text) => text.replace(/^/gm, '    ');
/** A line that says so. */
export const leftOutStep = ({ name, missing }) => `${name}: left out, ${missing} is not installed`;
const isOverBudget = ({ seconds, budget }) => seconds > budget * mostOfBudget;
const overBudget = ({ name, seconds, budget }) =>
  `${name}: took ${Math.round(seconds)} s, more than ${mostOfBudget} times its budget of ${budget} s`;
