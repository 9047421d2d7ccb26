import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Apart from `npm test`: three Nodes have to be fetched, SQLite is compiled, and the previous version is built. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/installed/**/*.test.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
});
