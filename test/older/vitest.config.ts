import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Only ever run by run.mjs, in its sandbox: the older implementation is fetched, and has no way out. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/older/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
