import { defineConfig } from 'vitest/config';

/** The unit tests of the rooms that decide, for a mutation run (stryker.config.mjs beside this). */
export default defineConfig({
  test: {
    include: ['test/unit/{dispatch,events,gateway,http,storage,turn}/**/*.test.ts'],
    // These compile a program for the whole machine, or start programs of dist/, which no mutation reaches.
    exclude: ['test/unit/storage/write-ahead-log.test.ts', 'test/unit/turn/turn-ownership.test.ts'],
    // No module of ours has a state, so files can share one worker: a run takes a fraction of the time.
    isolate: false,
    // What a mutant keeps from happening is waited for in vain: that shall be a test that failed, and not take long.
    testTimeout: 8_000,
    hookTimeout: 8_000,
    expect: { poll: { timeout: 4_000 } },
  },
});
