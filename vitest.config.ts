import { defineConfig } from 'vitest/config';

/** Of the order in which the tests of each file run; it is printed, and `HOUMAO_TEST_SEED` gives it again. */
const seed = Number(process.env.HOUMAO_TEST_SEED ?? Date.now());
if (!Number.isSafeInteger(seed)) throw new Error('HOUMAO_TEST_SEED is no integer');

export default defineConfig({
  test: {
    include: ['test/{unit,contract,e2e}/**/*.test.ts'],
    globalSetup: ['test/support/run/run-folder.ts', 'test/support/run/answered-statuses.ts'],
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/record-file.ts'],
    reporters: ['default', './test/support/run/left-out-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes at once on a quiet machine; on another one it may come late.
    expect: { poll: { timeout: 20_000 } },
    // No test counts on an earlier one of its file: `-t` may run any of them alone.
    sequence: { shuffle: { tests: true, files: false }, seed },
    // Two cores: most files start real servers and agents.
    maxWorkers: 2,
    pool: 'forks',
  },
});
