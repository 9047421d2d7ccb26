import type { Reporter, TestModule } from 'vitest/node';

/** Closes the run with one plain line of counts, for readers of a log. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken;
    console.log(`\nagents: ${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`);
  }
}
