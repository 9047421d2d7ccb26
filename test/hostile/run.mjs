// `npm run test:hostile [-- --requests N --seed S --surface NAME]`: sends a live gateway, and a live server beside one, so many
// hostile requests each, derived from its contract, and checks every answer against that contract. A failure prints the smallest
// request that shows it, and the seed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string' },
    surface: { type: 'string' },
  },
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  [
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/hostile/vitest.config.ts'],
    ...(values.surface === undefined ? [] : [`test/hostile/${values.surface}.test.ts`]),
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      HOUMAO_HOSTILE_REQUESTS: values.requests,
      ...(values.seed === undefined ? {} : { HOUMAO_HOSTILE_SEED: values.seed }),
    },
  },
);
process.exitCode = status ?? 1;
