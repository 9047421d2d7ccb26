import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,contract,e2e}/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One second, as Vitest has it, is little on a machine with other work to do.
    expect: { poll: { timeout: 20_000 } },
    // Two cores: most files start real servers and agents.
    maxWorkers: 2,
    pool: 'forks',
  },
});
