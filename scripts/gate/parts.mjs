// The parts of `npm run test:all`, and the slice of each that `.ci/run` runs: a minute or two. Budgets are seconds on two cores on which
// nothing else runs.
import { byName, testStep } from './tiers.mjs';

const node = process.execPath;
/** The same each time: what .ci/run finds it finds again. */
export const gateSeed = '20260313';

/**
 * @typedef {{ name: string, what: string, whole: import('./run-steps.mjs').Step[], slice: import('./run-steps.mjs').Step[] }} Part
 * `whole` is for `npm run test:all`, `slice` for .ci/run; an empty one has nothing that `npm test` does not have
 */

const e2e = (name, what, budget, ...folders) => ({
  name,
  what,
  whole: [
    testStep(
      `end to end: ${name}`,
      budget,
      ['e2e'],
      folders.map((folder) => `test/e2e/${folder}/`),
    ),
  ],
  slice: [],
});

/** A runner of its own around vitest: it takes files and `-t` as vitest does. */
const runner = (name, budget, script, args = [], env = {}) => ({
  name,
  counts: 'tests',
  budget,
  env,
  command: [node, ...script, ...args],
  again: (test) => [node, ...script, test.file, ...byName(test)],
});
const counted = (name, budget, script, args = []) => ({
  name,
  counts: 'lines',
  budget,
  command: [node, script, ...args],
});
const config = (folder) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  `test/${folder}/vitest.config.ts`,
];

/**
 * @param {string} seed of what the whole parts draw: another one each time looks for what nobody has seen yet
 * @returns {Part[]} in the order in which they run
 */
export const parts = (seed) => [
  e2e('cli', 'the command line', 800, 'cli'),
  e2e('terminal', 'agents in terminals, and the stand-in', 600, 'terminal', 'standin-tui'),
  e2e('server', 'the managed-agent server, and traces', 330, 'server', 'telemetry'),
  e2e(
    'turns',
    'turns, recovery, launches and the rest of a gateway',
    400,
    ...[
      'turns',
      'recovery',
      'launch',
      'remote',
      'retention',
      'kept',
      'run',
      'security',
      'bootstrap',
      'examples',
      'mail',
    ],
  ),
  e2e('sdk', 'the SDK as users have it', 120, 'sdk'),
  e2e('page', 'pages, in Chromium, and every command of the documents', 560, 'demo', 'docs', 'console'),
  e2e('machine', 'faults of the machine: disk, clock, signals', 150, 'machine'),
  {
    name: 'fleet',
    what: 'hosts that are one fleet, over a real NATS server',
    whole: [testStep('end to end: fleet', 330, ['e2e'], ['test/e2e/fleet/'])],
    slice: [testStep('the keys of hosts at a NATS server', 90, ['e2e'], ['test/e2e/fleet/engine.test.ts'])],
  },
  {
    name: 'mail-servers',
    what: 'mail on Cyrus IMAP and Apache James',
    whole: [
      testStep('mail on Cyrus IMAP', 300, ['mail']),
      runner('mail on Apache James', 300, ['test/mail-servers/run.mjs']),
    ],
    slice: [
      testStep('mail on Cyrus IMAP: the facade', 90, ['mail'], ['test/contract/mail/facade-server.test.ts']),
    ],
  },
  {
    name: 'agents',
    what: 'real Claude Code, Codex and Gemini CLI, without a network',
    whole: [runner('real agents', 900, ['test/agents/run.mjs'])],
    slice: [
      runner(
        'a real agent, headless and in a terminal',
        180,
        ['test/agents/run.mjs'],
        [
          ...['test/agents/gateway-claude.test.ts', 'test/agents/terminal-claude.test.ts'],
          ...['-t', 'a model that recovers in time is no failure'],
        ],
      ),
    ],
  },
  {
    name: 'clients',
    what: 'clients by the generators of docs/clients.md, and linters of the contract',
    whole: [counted('generated clients', 900, 'test/clients/run.mjs')],
    slice: [counted('a generated client for Python', 90, 'test/clients/run.mjs', ['python'])],
  },
  {
    name: 'protocols',
    what: 'MCP and ACP: our tests, the conformance suites, and clients that others made',
    whole: [
      testStep('end to end: protocols', 200, ['e2e'], ['test/e2e/protocols/']),
      runner('clients and suites of the protocols', 300, config('protocols')),
    ],
    slice: [
      runner('the conformance suites of MCP', 90, config('protocols'), [
        'test/protocols/mcp-conformance.test.ts',
      ]),
    ],
  },
  {
    name: 'runtimes',
    what: 'the packed SDK on Node, Bun and Deno',
    whole: [runner('runtimes', 300, config('runtimes'))],
    slice: [runner('the packed SDK on Bun', 90, config('runtimes'), ['-t', '^Bun '])],
  },
  {
    name: 'installed',
    what: 'the packed project on machines that had nothing, with Node 20, 22 and 24, and over the previous version',
    whole: [runner('installed', 900, config('installed'))],
    slice: [runner('installed with Node 24', 90, config('installed'), ['-t', 'the package has|on Node 24'])],
  },
  {
    name: 'releases',
    what: 'programs with the SDK of each earlier release',
    whole: [runner('SDKs of earlier releases', 120, config('releases'))],
    slice: [runner('SDKs of earlier releases', 120, config('releases'))],
  },
  {
    name: 'older',
    what: 'sessions of ours in the hands of the older implementation, and the reverse',
    whole: [runner('the older implementation', 200, ['test/older/run.mjs'])],
    slice: [runner('the older implementation, headless', 120, ['test/older/run.mjs'], ['-t', ', headless,'])],
  },
  {
    name: 'breaking',
    what: 'planted breaking changes of the contract',
    whole: [runner('planted breaking changes', 120, config('breaking'))],
    slice: [
      runner('a planted breaking change, and none', 90, config('breaking'), [
        ...['-t', 'an operation that goes is refused|the same contract breaks nothing'],
      ]),
    ],
  },
  {
    name: 'schemathesis',
    what: 'Schemathesis against both surfaces',
    whole: [counted('Schemathesis', 600, 'test/schemathesis/run.mjs', ['--seed', seed])],
    slice: [
      counted('Schemathesis, a little', 150, 'test/schemathesis/run.mjs', [
        '--max-examples',
        '2',
        '--phases',
        'examples,coverage',
      ]),
    ],
  },
  {
    name: 'hostile',
    what: 'hostile requests to both surfaces',
    whole: [hostile('gateway', 50_000, 400, seed), hostile('managed-agent', 10_000, 400, seed)],
    slice: [hostile('gateway', 3000, 60, gateSeed), hostile('managed-agent', 1000, 60, gateSeed)],
  },
  {
    name: 'bench',
    what: 'a bench that runs; its figures are of no use beside tests',
    whole: [bench(900)],
    slice: [bench(60, '--only', 'accepts')],
  },
  { name: 'node-22', what: 'all of this on Node 22', whole: otherNode('22', 3600), slice: [] },
  {
    name: 'node-24',
    what: 'all of this on Node 24',
    whole: otherNode('24', 3600),
    slice: otherNode(
      '24',
      400,
      ...['test/unit/storage', 'test/unit/turn', 'test/unit/run', 'test/unit/http'],
    ),
  },
];

function hostile(surface, requests, budget, seed) {
  const args = ['--surface', surface, '--requests', String(requests), '--seed', seed];
  return {
    name: `${requests} hostile requests to the ${surface} surface`,
    counts: 'tests',
    budget,
    command: [node, 'test/hostile/run.mjs', ...args],
  };
}

/** Figures are of no use beside tests: it is only seen that it measures. */
function bench(budget, ...args) {
  const small = ['--seconds', '1', '--rounds', '1', '--rows', '1000', '--messages', '1000'];
  return {
    name: 'npm run bench measures',
    counts: 'itself',
    budget,
    command: [node, 'scripts/bench/main.mjs', ...small, ...args],
  };
}

function otherNode(major, budget, ...files) {
  const name = `npm start and tests on Node ${major}, with packages that another Node installed`;
  const own = runner(name, budget, ['test/nodes/run.mjs', major], files);
  return [
    { ...own, again: (test) => [node, 'test/nodes/run.mjs', major, '--again', test.file, ...byName(test)] },
  ];
}
