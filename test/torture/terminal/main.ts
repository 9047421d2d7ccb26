import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findLeftovers } from '../../support/run/leftovers.js';
import { runFaults } from './faults/run-faults.js';
import { endPrograms } from './programs.js';
import { runTorture } from './run-torture.js';

const help = `npm run torture -- --terminal [options]

Prompts to stand-in agents in terminals while everything goes wrong, held against what the agents took. Exit code 1 on any
broken promise.

  --submissions N   so many prompts at least (default 200)
  --seed S          the same faults as with this seed; a random one otherwise
  --at-once N       so many agents at a time (default 4)
  --scenario K      only the scenario of this number
  --verbose         what became of each prompt
  --faults          plays each known fault of agents in terminals instead, and prints a table in Markdown
  --times N         each fault so often (default 20)
  --help            this text
`;

const { values } = parseArgs({
  options: {
    terminal: { type: 'boolean' },
    submissions: { type: 'string', default: '200' },
    seed: { type: 'string' },
    'at-once': { type: 'string', default: '4' },
    scenario: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    times: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(help);
else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'htt-'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => giveUp(signal, folder));
  const atOnce = Number(values['at-once']);
  const isFine = values.faults
    ? await runFaults(folder, Number(values.times), atOnce)
    : await runTorture({
        folder,
        atOnce,
        verbose: values.verbose,
        submissions: Number(values.submissions),
        seed: Number(values.seed ?? Math.floor(Math.random() * 2 ** 32)),
        only: values.scenario === undefined ? null : Number(values.scenario),
      });
  if (isFine) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exitCode = isFine ? 0 : 1;
}

/** Takes everything away that runs, and what it wrote. */
function giveUp(signal: NodeJS.Signals, folder: string): void {
  console.log(`torture: ended by ${signal}`);
  endPrograms();
  findLeftovers(folder).endProcesses();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(1);
}
