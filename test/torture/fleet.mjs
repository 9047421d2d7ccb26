// `npm run torture -- --fleet [--rounds N] [--seed S] [--nodes 3 [--network]] [--away-minutes N]`: three hosts under load whose servers, gateways and
// NATS servers are killed or hang, who are cut off, whose clocks are set, whose streams are deleted and whose commands come twice, so
// often; once a host is away with 100 prompts that wait. Then each prompt ran once and in order, and no event is missing without a gap
// that says so. With --network each host and each NATS server has a network namespace of its own, and NATS servers lose each other, too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    fleet: { type: 'boolean' },
    rounds: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '1' },
    network: { type: 'boolean', default: false },
    'away-minutes': { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
if (values.network && values.nodes !== '3') throw new Error('--network goes with --nodes 3');
if (!['1', '3'].includes(values.nodes)) throw new Error('--nodes is 1 or 3');
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', 'test/e2e/fleet/torture.test.ts', '-t', 'runs once and in order'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      HOUMAO_FLEET_ROUNDS: values.rounds,
      HOUMAO_FLEET_SEED: values.seed,
      HOUMAO_FLEET_NODES: values.nodes,
      HOUMAO_FLEET_NETWORK: values.network ? '1' : '0',
      HOUMAO_FLEET_AWAY_MINUTES: values['away-minutes'],
    },
  },
);
const [code] = await once(child, 'exit');
process.exitCode = code ?? 1;
