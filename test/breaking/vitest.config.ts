import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Apart from `npm test`: oasdiff has to be built with Go. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/breaking/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    // The first comparison of a machine builds oasdiff.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
