import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

/** Tells at the end of a run how many tests were left out, and why. One that was left out without a reason fails the run. */
export default class LeftOutReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const counts = new Map<string, number>();
    for (const test of skipped) {
      const need = needOf(test);
      if (need !== undefined) counts.set(need, (counts.get(need) ?? 0) + 1);
    }
    for (const [need, count] of counts)
      this.#vitest?.logger.log(`left out: ${count} ${count === 1 ? 'test' : 'tests'} that need ${need}`);
    const silent = skipped.filter((test) => needOf(test) === undefined);
    // `-t` leaves tests out because somebody said so.
    if (silent.length > 0 && !this.#vitest?.config.testNamePattern) {
      process.exitCode = 1;
      for (const { module, fullName } of silent)
        this.#vitest?.logger.error(`left out without a reason: ${module.relativeModuleId} > ${fullName}`);
    }
    if (skipped.length === 0) this.#vitest?.logger.log('left out: no test');
  }
}

function needOf(test: TestCase): string | undefined {
  for (let each: TestCase | TestSuite | TestModule = test; each.type !== 'module'; each = each.parent) {
    const { needs } = each.meta();
    if (needs !== undefined) return needs;
  }
  return undefined;
}
