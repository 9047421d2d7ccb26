// `npm run torture -- --terminal [--submissions N] [--seed S] [--at-once N] [--scenario K] [--verbose]`: prompts to stand-in agents in
// terminals while everything goes wrong, held against what the agents took. Exit code 1 on any violation.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findLeftovers } from '../../support/run/leftovers.js';
import { check } from './check.js';
import type { Violation } from './facts.js';
import { planScenario } from './plan.js';
import { playScenario } from './play-scenario.js';
import { endPrograms } from './programs.js';
import type { Scenario } from './scenario.js';
import { fates, Tally } from './tally.js';

const { values } = parseArgs({
  options: {
    terminal: { type: 'boolean' },
    submissions: { type: 'string', default: '200' },
    seed: { type: 'string' },
    'at-once': { type: 'string', default: '4' },
    scenario: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const begun = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'htt-'));
const tally = new Tally();
const kept: string[] = [];
let broken = 0;
console.log(`torture: terminals, ${values.submissions} submissions, seed ${seed}, in ${folder}`);

const plans = plannedScenarios();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, giveUp);
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
summarise();

/** As many scenarios as have the wanted number of prompts, or the one that was asked for. */
function plannedScenarios(): Scenario[] {
  if (values.scenario !== undefined) return [planScenario(seed, Number(values.scenario))];
  const planned: Scenario[] = [];
  for (let prompts = 0; prompts < Number(values.submissions); ) {
    const scenario = planScenario(seed, planned.length + 1);
    planned.push(scenario);
    prompts += scenario.rounds.flatMap((round) => round.prompts).length;
  }
  return planned;
}

async function work(): Promise<void> {
  for (let next = plans.shift(); next !== undefined; next = plans.shift()) await play(next);
}

async function play(scenario: Scenario): Promise<void> {
  const own = join(folder, `s${scenario.number}_`);
  try {
    const played = await playScenario(scenario, own);
    const violations = check(played.facts);
    tally.add(scenario, played, violations);
    if (values.verbose) for (const line of fates(scenario, played)) console.log(line);
    for (const violation of violations) report(scenario, violation);
    for (const line of played.leftBehind)
      console.log(`torture: scenario ${scenario.number} left behind: ${line.trim()}`);
    if (violations.length === 0) rmSync(own, { recursive: true, force: true, maxRetries: 5 });
    else kept.push(own);
  } catch (error) {
    broken += 1;
    kept.push(own);
    console.log(
      `BROKEN scenario ${scenario.number} (${scenario.switches.join(',')}), seed ${seed}: ${(error as Error).stack}`,
    );
  }
  if (tally.scenarios % 10 === 0)
    console.log(
      `torture: ${tally.scenarios} scenarios, ${tally.doors.total} submissions, ${tally.violations.total} violations, ${elapsed()} s`,
    );
}

/** Takes everything away that runs, and what it wrote. */
function giveUp(signal: NodeJS.Signals): void {
  console.log(`torture: ended by ${signal}`);
  endPrograms();
  findLeftovers(folder).endProcesses();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(1);
}

function report({ number, switches }: Scenario, { kind, what }: Violation): void {
  console.log(
    `VIOLATION ${kind}, scenario ${number} (${switches.join(',') || 'no fault'}), seed ${seed}: ${what}`,
  );
}

function elapsed(): string {
  return ((Date.now() - begun) / 1000).toFixed(0);
}

function summarise(): void {
  const isFine = tally.violations.total + broken === 0;
  for (const line of tally.lines) console.log(`torture: ${line}`);
  if (isFine) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  else
    console.log(`torture: evidence is in ${kept.join(', ')}; one of them again: --scenario N --seed ${seed}`);
  console.log(
    `torture: ${isFine ? 'ok' : 'FAILED'}; seed ${seed}; ${tally.doors.total} submissions; ${elapsed()} s; ${broken} broken scenarios, ${tally.violations.total} violations`,
  );
  process.exitCode = isFine ? 0 : 1;
}
