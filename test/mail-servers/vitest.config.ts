import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Only ever run by run.mjs, which fetches the servers and sees that nobody else reaches them. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/mail-servers/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
