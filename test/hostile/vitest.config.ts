import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Run by run.mjs. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/hostile/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
    // Operations that are attacked at the same time.
    maxConcurrency: 4,
    disableConsoleIntercept: true,
    pool: 'forks',
    // The measurements of one surface are not to be those of another.
    fileParallelism: false,
  },
});
