import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The tests that are named after the changed file run first: they notice most of what is wrong with it, and soon. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const changed = (this.ctx.config.related ?? []).map((path) => basename(path, '.ts'));
    const isFar = ({ moduleId }: TestSpecification): number =>
      changed.some((name) => basename(moduleId).startsWith(name)) ? 0 : 1;
    return (await super.sort(files)).sort((a, b) => isFar(a) - isFar(b));
  }
}

/** The unit tests of the rooms that decide, for a mutation run (stryker.config.mjs beside this). */
export default defineConfig({
  test: {
    include: ['test/unit/{dispatch,events,gateway,http,storage,turn}/**/*.test.ts'],
    exclude: [
      // They compile a program for the whole machine, or start programs of dist/, which no mutation reaches.
      'test/unit/storage/write-ahead-log.test.ts',
      'test/unit/turn/turn-ownership.test.ts',
      // A whole gateway for each test reaches nearly every mutant, and notices few that others do not.
      'test/unit/gateway/handlers/**',
    ],
    // No module of ours has a state that a test depends on, so files can share one worker: a run takes a fraction of the time.
    isolate: false,
    sequence: { sequencer: NearestFirst },
    // An event that a mutant prevents is awaited in vain: that is to be a failed test, and soon.
    testTimeout: 6_000,
    hookTimeout: 6_000,
    expect: { poll: { timeout: 4_000 } },
  },
});
