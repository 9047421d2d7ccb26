// `npm run check`, `npm test`, `npm run test:all`, `npm run test:stable`, `npm run test:times`, and what `.ci/run` runs. Each prints at its
// end seconds per step, the slowest files, what was left out, what failed, what is unstable, and `N passed, N failed`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { programRunner } from '../bootstrap/run-program.mjs';
import { affectedParts } from './affected.mjs';
import { gateSeed, parts } from './parts.mjs';
import { StepRunner } from './run-steps.mjs';
import { huntUnstable } from './stable.mjs';
import { slowestFiles, summaryOf } from './summary.mjs';
import { checkSteps, testSteps } from './tiers.mjs';
import { writeTimes } from './times.mjs';

const logs = resolve('build/gate');
const lastRun = `${logs}/last-run.json`;
const resumable = `${logs}/test-all.json`;

const { step: run, last } = programRunner();
const steps = new StepRunner(run, logs, process.stdout.isTTY === true);
const cores = availableParallelism();

const commands = { check, test, all, ci, stable, times };
const help = {
  all: `npm run test:all [-- options]     npm test, and all parts
  --list             names the parts
  --only a,b         runs these parts alone
  --affected main    runs npm test, and the parts that a change since this commit may touch
  --slices           runs of each part what .ci/run runs of it
  --resume           passes over what passed in the last run, where the sources are still the same`,
  stable: `npm run test:stable [-- options] [files]     runs tests again and again, and says which failed how often
  --times 20         so many times
  --load 4           beside so many programs that only compute`,
};

async function check() {
  return finish(await steps.runAll(checkSteps(), cores));
}

/** With arguments it is vitest itself: files, `-t`, and whatever else it takes. */
async function test(args) {
  if (args.length > 0)
    return last(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], { stdio: 'inherit' });
  return finish(await theTests());
}

async function theTests() {
  const checked = await steps.runAll(checkSteps(), cores);
  return [...checked, ...(await steps.runAll(testSteps()))];
}

/** Prints the end of a run, and keeps how long its files took. */
function finish(results, options = { strict: false }) {
  writeFileSync(lastRun, JSON.stringify(slowestFiles(results)));
  const { text, failed } = summaryOf(results, options);
  console.log(text);
  return failed === 0 ? 0 : 1;
}

async function all(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      affected: { type: 'string' },
      resume: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      slices: { type: 'boolean', default: false },
    },
  });
  const seed = process.env.HOUMAO_TEST_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
  process.env.HOUMAO_TEST_SEED = seed;
  const known = parts(seed);
  if (values.list) {
    for (const { name, what } of known) console.log(`${name.padEnd(14)} ${what}`);
    return 0;
  }
  const chosen = choose(known, values);
  const state = `${values.slices ? 'slices' : 'whole'}\n${stateOfSources()}`;
  const done = values.resume ? readDone(state) : [];
  console.log(`HOUMAO_TEST_SEED=${seed}`);
  const wanted = values.only === undefined ? [{ name: 'npm test', whole: null }, ...chosen] : chosen;
  const todo = wanted.filter(({ name }) => !done.some((each) => each.part === name));
  for (const { part } of done) console.log(`##### ${part}: passed before`);
  const results = done.flatMap((each) => each.results);
  for (const part of todo) {
    console.log(`##### ${part.name}`);
    const own =
      part.whole === null ? await theTests() : await steps.runAll(values.slices ? part.slice : part.whole);
    results.push(...own);
    const { failed } = summaryOf(own, { strict: false });
    if (failed === 0) done.push({ part: part.name, results: own });
    writeFileSync(resumable, JSON.stringify({ state, done }));
  }
  const notRun = known
    .filter((part) => !chosen.includes(part))
    .map(
      ({ name }) =>
        `${name}: ${values.only === undefined ? `nothing since ${values.affected} touches it` : 'not among --only'}`,
    );
  return finish(results, { strict: false, notRun });
}

function choose(known, { only, affected }) {
  if (only !== undefined) {
    const names = only.split(',');
    const unknown = names.find((name) => !known.some((part) => part.name === name));
    if (unknown !== undefined)
      throw new Error(
        `--only: there is no part ${unknown}; there are ${known.map(({ name }) => name).join(', ')}`,
      );
    return known.filter(({ name }) => names.includes(name));
  }
  if (affected === undefined) return known;
  const names = affectedParts(pathsSince(affected));
  return known.filter(({ name }) => names.has(name));
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });
const lines = (text) => text.split('\n').filter(Boolean);
const pathsSince = (commit) => [
  ...lines(git('diff', '--name-only', commit)),
  ...lines(git('ls-files', '--others', '--exclude-standard')),
];

/** Of the sources as they stand: what passed is only passed over while they are the same. */
function stateOfSources() {
  return [
    git('rev-parse', 'HEAD'),
    git('diff', 'HEAD'),
    git('ls-files', '--others', '--exclude-standard'),
  ].join('\n');
}

function readDone(state) {
  try {
    const kept = JSON.parse(readFileSync(resumable, 'utf8'));
    if (kept.state === state) return kept.done;
    console.log('--resume: the sources have changed since; everything runs');
  } catch {
    console.log('--resume: there is no run to resume; everything runs');
  }
  return [];
}

/**
 * `npm start`, `npm test`, and a slice of every part; a step that takes twice its budget fails, and so does one that is left out.
 * `--packages N`: the system's packages took so many seconds to install.
 */
async function ci(args) {
  const { values } = parseArgs({ args, options: { packages: { type: 'string', default: '0' } } });
  const packages = { name: 'system packages', budget: 240, seconds: Number(values.packages), passed: 1 };
  const start = [process.execPath, 'test/nodes/start-and-stop.mjs'];
  // Each mostly uses one processor or waits, so as many run side by side as there are; the longest comes first.
  const slices = parts(gateSeed)
    .flatMap(({ slice }) => slice)
    .sort((a, b) => b.budget - a.budget);
  const results = [
    { code: 0, failed: [], again: [], leftOut: {}, files: [], ...packages },
    await steps.run({
      name: 'npm start installs, builds and answers',
      counts: 'itself',
      budget: 330,
      command: start,
    }),
    ...(await theTests()),
    ...(await steps.runAll(slices, cores)),
  ];
  return finish(results, { strict: true });
}

async function stable(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { times: { type: 'string', default: '20' }, load: { type: 'string', default: '0' } },
  });
  const [times, load] = ['times', 'load'].map((flag) => wholeNumber(flag, values[flag]));
  return huntUnstable(steps, { times, load, files: positionals });
}

function wholeNumber(flag, text) {
  if (!/^\d{1,4}$/.test(text)) throw new Error(`--${flag}: ${text} is not a whole number`);
  return Number(text);
}

async function times() {
  writeTimes(JSON.parse(readFileSync(lastRun, 'utf8')), 'docs/testing.md');
  return 0;
}

const [name, ...args] = process.argv.slice(2);
try {
  if (help[name] !== undefined && args.includes('--help')) {
    console.log(help[name]);
    process.exit(0);
  }
  process.exit(await commands[name](args));
} catch (error) {
  console.error(`houmao: ${error.message}`);
  process.exit(2);
}
