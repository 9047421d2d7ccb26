import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { countNeeds } from './left-out-reporter.js';

/** Of an error message that fills a screen, so many lines tell what it is about. */
const linesOfWhy = 12;

/** The report of a run of vitest that scripts/gate/ reads. */
export interface RunReport {
  passed: number;
  failed: FailedTest[];
  files: { file: string; kind: string; seconds: number }[];
  /** How many tests were left out for each need (needs.ts). */
  leftOut: Record<string, number>;
}

/** A test, or with `name: null` a file that could not be run: its import or one of its hooks failed. */
export interface FailedTest {
  file: string;
  kind: string;
  name: string | null;
  /** The first lines of the error. */
  why: string;
}

/** Writes the run's result to the file that `HOUMAO_TEST_REPORT` names, for the program that started it. */
export default class RunReportReporter implements Reporter {
  readonly #path = process.env.HOUMAO_TEST_REPORT;
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    // A vitest that a test starts has a result of its own.
    delete process.env.HOUMAO_TEST_REPORT;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // Of tests that `-t` left out nobody knows whether they would have been left out for a need.
    const byName = this.#vitest?.config.testNamePattern !== undefined;
    const report = { ...reportOf(modules), ...(byName ? { leftOut: {} } : {}) };
    if (this.#path) writeFileSync(this.#path, `${JSON.stringify(report)}\n`);
  }
}

function reportOf(modules: readonly TestModule[]): RunReport {
  return {
    passed: modules.flatMap((module) => [...module.children.allTests('passed')]).length,
    failed: modules.filter((module) => module.state() === 'failed').flatMap(failuresOf),
    files: modules.map((module) => ({ ...placeOf(module), seconds: secondsOf(module) })),
    leftOut: countNeeds(modules.flatMap((module) => [...module.children.allTests('skipped')])),
  };
}

function failuresOf(module: TestModule): FailedTest[] {
  const place = placeOf(module);
  const tests: TestCase[] = [...module.children.allTests('failed')];
  if (tests.length > 0)
    return tests.map((test) => ({ ...place, name: nameOf(test), why: whyOf(test.result().errors ?? []) }));
  const errors = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
  return [{ ...place, name: null, why: whyOf(errors) }];
}

const whyOf = ([error]: readonly { message: string }[]): string =>
  stripVTControlCharacters(error?.message ?? 'no error is known')
    .split('\n')
    .slice(0, linesOfWhy)
    .join('\n');

/** As `-t` compares it: the names of the blocks and of the test, with a blank between. */
function nameOf(test: TestCase): string {
  const names = [test.name];
  for (let block = test.parent; block.type === 'suite'; block = block.parent) names.unshift(block.name);
  return names.join(' ');
}

const placeOf = (module: TestModule) => ({
  file: module.relativeModuleId,
  kind: module.project.name,
});

/** Everything that the file took in its worker, what it imports included. */
function secondsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
  return Math.round(ms / 100) / 10;
}
