// `npm run torture -- --fleet`: three hosts under load whose servers, gateways and NATS servers are killed or hang, who are cut off, whose
// clocks are set, whose streams are deleted and whose commands come twice; once a host is away with 100 prompts that wait. Then each
// prompt ran once and in order, and no event is missing without a gap that says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const help = `npm run torture -- --fleet [options]

  --rounds N        faults, one after the other (500)
  --seed S          the faults and the prompts of an earlier run (a random one)
  --nodes N         NATS servers, 1 or 3 (1)
  --network         a network namespace for each host and each NATS server, which lose each other, too; with --nodes 3
  --away-minutes N  how long a host is away while 100 prompts wait for it (0: until they wait)
  --help            this text
`;
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    fleet: { type: 'boolean' },
    rounds: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '1' },
    network: { type: 'boolean', default: false },
    'away-minutes': { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}
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
