// Runs the steps of a tier: each is a program with a log of its own. Tests that fail are run again alone, twice.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** With more failed tests than this, something is broken, and running them again tells nothing. */
const mostAgain = 10;
const timesAgain = 2;
/** Of the log of a step that failed, so many last lines are printed. */
const linesShown = 150;

/**
 * @typedef {{
 *   name: string, command: string[], counts: 'itself' | 'tests' | 'lines', budget: number, env?: Record<string, string>,
 *   again?: (failed: import('./verdict.mjs').FailedTest) => string[], needs?: string[],
 * }} Step `counts`: the step is one check; or vitest reports its tests; or its last line says `N passed, N failed`. `again` is the
 *   command that runs one test of vitest alone. `needs`: programs of the machine; a step that lacks one is left out, and reported
 */
export class StepRunner {
  #run;
  #folder;
  #show;

  /**
   * @param {(program: string, args: string[], options: object) => Promise<{ code: number }>} run of `programRunner`
   * @param {string} folder for the logs
   * @param {boolean} show what vitest prints, as it comes
   */
  constructor(run, folder, show) {
    this.#run = run;
    this.#folder = folder;
    this.#show = show;
    mkdirSync(folder, { recursive: true });
  }

  /**
   * @param {readonly Step[]} steps
   * @param {number} together so many run at a time
   * @returns {Promise<import('./verdict.mjs').StepResult[]>} in the order of the steps
   */
  async runAll(steps, together = 1) {
    const results = [];
    const waiting = [...steps.entries()];
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        results[next[0]] = await this.run(next[1]);
    };
    await Promise.all(Array.from({ length: together }, lane));
    return results;
  }

  /** @param {Step} step */
  async run(step) {
    const began = performance.now();
    const missing = step.needs?.find((program) => !isOnPath(program));
    if (missing !== undefined) return leftOut(step, missing);
    console.log(`=== ${step.name}`);
    const log = join(this.#folder, `${step.name.replace(/[^a-zA-Z0-9]+/g, '-')}.log`);
    const first = await this.#once(step, step.command, log);
    const again = await this.#again(step, first.failed, log);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const good = first.code === 0;
    console.log(`${good ? 'ok' : 'FAILED'}  ${step.name}: ${seconds.toFixed(1)} s${good ? '' : ` (${log})`}`);
    if (!good && existsSync(log)) console.log(lastLines(log));
    return { name: step.name, budget: step.budget, seconds, ...first, again };
  }

  async #again(step, failed, log) {
    if (step.again === undefined || failed.length > mostAgain) return [];
    const passes = [];
    // Without the environment of the step: what it asks of a whole run no single test can answer.
    const againLog = `${log.slice(0, -4)}-again.log`;
    for (const test of failed) {
      const runs = [];
      for (let time = 0; time < timesAgain; time += 1) {
        console.log(`    again, alone: ${test.file}${test.name === null ? '' : ` > ${test.name}`}`);
        const { code } = await this.#once({ ...step, env: {} }, step.again(test), againLog);
        runs.push(code === 0);
      }
      passes.push(runs);
    }
    return passes;
  }

  async #once(step, [program, ...args], log) {
    const report = `${log.slice(0, -4)}.json`;
    rmSync(report, { force: true });
    const env = { ...process.env, ...step.env, HOUMAO_TEST_REPORT: report };
    const shown = this.#show && step.counts === 'tests';
    const file = shown ? null : openSync(log, 'w');
    const stdio = shown ? ['ignore', 'inherit', 'inherit'] : ['ignore', file, file];
    const { code } = await this.#run(program, args, { stdio, env });
    if (file !== null) closeSync(file);
    return { code, ...countsOf(step, code, report, log) };
  }
}

const isOnPath = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

function leftOut({ name, budget }, program) {
  console.log(`left out  ${name}: ${program} is not installed`);
  return { ...none, name, budget, seconds: 0, code: 0, again: [], missing: program };
}

const none = { passed: 0, failed: [], leftOut: {}, files: [] };

function countsOf({ counts, name }, code, report, log) {
  if (counts === 'itself') return { ...none, passed: code === 0 ? 1 : 0 };
  if (counts === 'lines') return { ...none, ...closingCounts(readFileSync(log, 'utf8'), name) };
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : none;
}

/** Of a program that is not vitest: the last line that says so many passed and so many failed. */
export function closingCounts(text, name) {
  const lines = [...stripVTControlCharacters(text).matchAll(/^(\d+) passed, (\d+) failed/gm)];
  const [, passed = '0', failed = '0'] = lines.at(-1) ?? [];
  const one = { file: name, kind: 'lines', name: null, why: `${failed} failed; its output says which` };
  return { passed: Number(passed), failed: Number(failed) > 0 ? [one] : [] };
}

function lastLines(log) {
  const lines = stripVTControlCharacters(readFileSync(log, 'utf8')).trimEnd().split('\n');
  const from = Math.max(0, lines.length - linesShown);
  return [...(from > 0 ? [`… ${from} lines more in ${log}`] : []), ...lines.slice(from)].join('\n');
}
