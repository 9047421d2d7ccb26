// `npm run mutation`: changes the files that decide, one place at a time, and runs the unit tests that reach the place
// (docs/mutation.md). One file: `npm run mutation -- --mutate src/turn/turn-end.ts`.

/** The files that decide. Everything else is thin, or reached by tests through other processes only. */
const deciding = [
  'src/gateway/requests/{queue-head,retention}.ts',
  'src/dispatch/queue/recovery.ts',
  'src/dispatch/{readiness,direct-prompt}.ts',
  'src/dispatch/reminders/{deferrals,reminder-book,reminder-loop,reminder-service,reminder-set}.ts',
  'src/events/journal.ts',
  'src/storage/group-commit.ts',
  'src/turn/turn-end.ts',
  'src/http/walls/*.ts',
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  packageManager: 'npm',
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutation/vitest.config.ts' },
  mutate: deciding,
  coverageAnalysis: 'perTest',
  incremental: false,
  // The tests hold connections, threads and files: two runs beside each other on a small machine make them slow.
  concurrency: 1,
  // A test waits at most as long as vitest.config.ts beside this says, and then fails by itself: only what never comes to
  // rest, such as an endless loop, takes longer than this.
  timeoutMS: 20_000,
  thresholds: { high: 95, low: 90, break: 90 },
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { reportTests: false, allowColor: false, allowEmojis: false },
  htmlReporter: { fileName: 'build/mutation/report.html' },
  jsonReporter: { fileName: 'build/mutation/report.json' },
  tempDirName: 'build/mutation/sandbox',
  ignorePatterns: ['/build', '/docs', '/test/e2e', '/.tools', '/.houmao'],
};
