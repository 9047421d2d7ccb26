import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Only ever run by run.mjs: the setup file refuses to go on outside its sandbox. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/agents/**/*.test.ts'],
    setupFiles: ['test/agents/harness/sandbox-guard.ts', 'test/support/run/left-programs.ts'],
    reporters: ['default', './test/support/run/run-report.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Each test starts processes of 100 to 400 MB that want a core for themselves.
    maxWorkers: 2,
  },
});
