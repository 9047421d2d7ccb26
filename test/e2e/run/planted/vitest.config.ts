import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const project = fileURLToPath(new URL('../../../..', import.meta.url));

/** Runs one of the files beside it as `npm test` would: which one, its own tests say (end-of-run.test.ts). */
export default defineConfig({
  root: project,
  test: {
    include: ['test/e2e/run/planted/*.fixture.ts'],
    globalSetup: 'test/support/run/run-folder.ts',
    setupFiles: 'test/support/run/file-folder.ts',
    reporters: ['default', './test/support/run/left-out-reporter.ts'],
    pool: 'forks',
  },
});
