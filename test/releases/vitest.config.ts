import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Apart from `npm test`: the SDK of each earlier release is built, with the packages that it pins. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/releases/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'],
    testTimeout: 180_000,
    // The first run of a machine builds them.
    hookTimeout: 600_000,
  },
});
