import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Apart from `npm test`: the suites and clients of the standards have to be fetched. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/protocols/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'],
    testTimeout: 180_000,
    // The first run of a machine fetches them.
    hookTimeout: 600_000,
  },
});
