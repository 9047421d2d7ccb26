import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { type TestKind, testKinds } from './scripts/gate/test-kinds.mjs';
import { SlowestFirst } from './test/support/run/slowest-first.js';

/**
 * Of the order in which the tests of each file run, and of what the property tests draw; it is printed, and `HOUMAO_TEST_SEED` gives
 * it. `npm test` always has the same one; `npm run test:all` and `npm run test:stable` have another one each time.
 */
const seed = Number(process.env.HOUMAO_TEST_SEED ?? 20260313);
if (!Number.isSafeInteger(seed)) throw new Error('HOUMAO_TEST_SEED is no integer');

/** Most tests wait for other processes more than half of their time. */
const maxWorkers = 2 * availableParallelism();
const kinds = testKinds(import.meta.dirname);
const setupFiles = ['test/support/run/file-folder.ts', 'test/support/run/left-programs.ts'];

/** The tests of one kind: they run after those of the kinds before, and have their own way of running. */
const project = (
  name: TestKind,
  groupOrder: number,
  own: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({
  test: {
    name,
    // A kind without files: vitest would take an empty list for its own default.
    include: kinds[name].length > 0 ? kinds[name] : ['none'],
    setupFiles,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes at once on a quiet machine; on another one it may come late.
    expect: { poll: { timeout: 20_000 } },
    // No test counts on an earlier one of its file: `-t` may run any of them alone.
    sequence: { shuffle: { tests: true, files: false }, seed, groupOrder },
    pool: 'forks',
    maxWorkers,
    provide: { seed },
    ...own,
  },
});

export default defineConfig({
  test: {
    globalSetup: ['test/support/run/run-folder.ts', 'test/support/run/answered-statuses.ts'],
    reporters: ['default', './test/support/run/left-out-reporter.ts', './test/support/run/run-report.ts'],
    sequence: { sequencer: SlowestFirst, seed },
    projects: [
      project('pure', 1, {
        isolate: false,
        maxWorkers: 1,
        setupFiles: ['test/support/run/seed.ts'],
        // There is no such folder: a test that makes files is not pure, and fails.
        env: { TMPDIR: '/no-folder-for-pure-tests' },
      }),
      // No module of ours has a state that a test depends on, so files can share a worker.
      project('parts', 2, {
        isolate: false,
        setupFiles: ['test/support/run/seed.ts', ...setupFiles, 'test/support/run/record-file.ts'],
      }),
      project('apart', 3, {}),
      project('mail', 4, { isolate: false }),
      project('e2e', 5, { isolate: false }),
    ],
  },
});
