import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/** Tells at the end of a run how many tests were left out, and why. One that was left out without a reason fails the run. */
export default class LeftOutReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // `-t` leaves tests out because somebody said so, and hides which of them would have been left out all the same.
    if (this.#vitest?.config.testNamePattern) return;
    const skipped = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .filter((test) => !blocksOf(test).some((each) => each.errors().length > 0));
    for (const [need, count] of Object.entries(countNeeds(skipped)))
      this.#vitest?.logger.log(`left out: ${count} ${count === 1 ? 'test' : 'tests'} that need ${need}`);
    const silent = skipped.filter((test) => needOf(test) === undefined);
    if (silent.length > 0) {
      process.exitCode = 1;
      for (const { module, fullName } of silent)
        this.#vitest?.logger.error(`left out without a reason: ${module.relativeModuleId} > ${fullName}`);
    }
    if (skipped.length === 0) this.#vitest?.logger.log('left out: no test');
  }
}

/** @returns how many of these tests, which were left out, need what. One without a reason does not count. */
export function countNeeds(tests: readonly TestCase[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const need of tests.map(needOf)) if (need !== undefined) counts[need] = (counts[need] ?? 0) + 1;
  return counts;
}

const needOf = (test: TestCase): string | undefined =>
  [test, ...blocksOf(test)].map((each) => each.meta().needs).find((needs) => needs !== undefined);

/** The blocks that a test is in, and its file. One of them in which a hook failed left it out, and fails the run itself. */
function blocksOf(test: TestCase): (TestSuite | TestModule)[] {
  const blocks: (TestSuite | TestModule)[] = [];
  let each: TestSuite | TestModule = test.parent;
  for (; each.type === 'suite'; each = each.parent) blocks.push(each);
  return [...blocks, each];
}
