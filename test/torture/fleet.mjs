// `npm run torture -- --fleet [--rounds N] [--seed S]`: three hosts whose servers, gateways and NATS server are killed or hang under
// load, so often; then each prompt ran once and in order, and no event is missing without a gap that says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    fleet: { type: 'boolean' },
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', 'test/e2e/fleet/torture.test.ts', '-t', 'runs once and in order'],
  {
    stdio: 'inherit',
    env: { ...process.env, HOUMAO_FLEET_ROUNDS: values.rounds, HOUMAO_FLEET_SEED: values.seed },
  },
);
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
