// The steps of `npm run check` and of `npm test`, with their budgets: seconds on two cores on which nothing else runs.
import { literally, patternOf, readPromises } from './promises.mjs';

const node = process.execPath;
const npmRun = (script) => ['npm', 'run', '--silent', script];
const vitest = [node, 'node_modules/vitest/vitest.mjs', 'run'];

/** @returns {import('./run-steps.mjs').Step} tests of the given kinds, run by the root's vitest.config.ts */
export function testStep(name, budget, kinds, args = [], env = {}) {
  const projects = kinds.flatMap((kind) => ['--project', kind]);
  return {
    name,
    counts: 'tests',
    budget,
    env,
    command: [...vitest, ...projects, ...args],
    again: (test) => [...vitest, ...projects, test.file, ...byName(test)],
  };
}

/** @returns {string[]} what has vitest run the test of this name alone */
export const byName = ({ name }) => (name === null ? [] : ['-t', `^${literally(name)}$`]);

const check = (name, budget, command, needs = []) => ({ name, counts: 'itself', budget, command, needs });

/** Everything that needs no program of ours to run. The steps run side by side, so the longest comes first. */
export const checkSteps = () => [
  testStep('pure unit tests, in one process', 120, ['pure']),
  check('generated code is what the contract says', 90, npmRun('generate:check'), ['java']),
  check('formatting, lint, dependency direction, contract rules', 90, npmRun('lint')),
  check('types', 120, npmRun('typecheck')),
  check('the contract keeps what the last release promised', 60, npmRun('contract:breaking'), ['go']),
];

/** The steps that `npm test` runs after these. */
export function testSteps() {
  const promised = readPromises();
  const files = [...new Set(promised.map(({ file }) => file))];
  return [
    testStep('unit tests with real parts, and the contract tests', 300, ['parts', 'apart'], [], {
      HOUMAO_TEST_STATUSES: 'check',
    }),
    testStep(
      'one end-to-end test for each promise of the documents',
      270,
      ['e2e'],
      [...files, '-t', patternOf(promised)],
    ),
  ];
}
