import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleOf, operationsIn } from '../support/bundle.js';

// Which test provokes which status of which operation: all of the contract is here, and nothing else.

const operations = operationsIn(bundleOf('managed-agent'));
const ids = operations.map(({ operationId }) => operationId);
const those = (fits: (one: (typeof operations)[number]) => boolean): string[] =>
  operations.filter(fits).map(({ operationId }) => operationId);
const withBody = those(({ body }) => body !== null);
const ofAgent = those(
  ({ path, operationId }) => path.includes('{agent_ref}') && operationId !== 'resolveAgent',
);
const passed = those(
  ({ path, operationId }) =>
    /\{agent_ref\}\/(gateway|mail\/)(?!\/internal)/.test(path) && !/^(at|de)tachGateway$/.test(operationId),
);
const mail = passed.filter(
  (id) => /Mail(Status|State|Attachment)?$/.test(id) && id !== 'resolveAgentMailbox',
);
const turnReads = ['getTurn', 'getTurnEvents', 'getTurnStdout', 'getTurnStderr'];
const interrupts = ['submitAgentRequest', 'interruptAgent', 'interruptHeadlessTurn'];
const prompted = [...interrupts, 'createTurn', 'runHeadlessPrompt'];
const terminalReads = ['getGatewayTuiState', 'getGatewayTuiHistory'];
const needNoGateway = ['getAgentGateway', 'resolveAgentMailbox'];
const texts = ['getTurnStdout', 'getTurnStderr'];
const but = (list: readonly string[], ...out: string[]) => list.filter((id) => !out.includes(id));
/** What the gateway of a headless agent answers 200. */
const done = but(passed, ...terminalReads, 'sendGatewayKeys', 'noteGatewayPrompt', 'cancelGatewayRequest');

/** Where, the title there, the statuses, the operations. */
type Row = [file: string, title: string, statuses: number[], operations: readonly string[]];
const every = 'managed-agent/every-operation.test.ts';
const turns = 'server/turn-refusals.test.ts';
const internal = 'server/internal.test.ts';
const unreadable = 'server/unreadable-records.test.ts';
const undelivered = 'server/undelivered-interrupts.test.ts';
const tmuxBroken = 'server/broken-tmux.test.ts';
const provoked: Row[] = [
  [every, 'the walls stand before every operation', [401, 403, 421], ids],
  [every, 'an unknown query parameter is 422', [422], ids],
  [every, 'a body that is not JSON is 415, one that is too large 413', [413, 415], withBody],
  [every, 'a name that nobody has is 404 and tells it', [404], ofAgent],
  [every, 'a name that several have is 409 and tells whose it is', [409], ofAgent],
  [every, 'a header of 17 KiB is 431', [431], ids],
  // The same for all operations of every surface.
  ['transport-limits.test.ts', 'in its body is 408', [408], withBody],
  ['server/faults.test.ts', 'is 500 with a request id and nothing from inside', [500], ids],
  ['managed-agent/passed-answers.test.ts', '%s is answered as its gateway answers', [200], done],
  ['managed-agent/passed-terminal.test.ts', 'its terminal is told of', [200], terminalReads],
  ['managed-agent/passed-terminal.test.ts', 'keys are typed', [200], ['sendGatewayKeys']],
  ['managed-agent/passed-terminal.test.ts', 'a prompt that was typed', [200], ['noteGatewayPrompt']],
  ['managed-agent/passed-requests.test.ts', 'request is cancelled', [200], ['cancelGatewayRequest']],
  ['managed-agent/passed-requests.test.ts', 'and not beyond the last', [410], ['listGatewayEvents']],
  ['managed-agent/passed-refusals.test.ts', '%s answers 503', [503], but(passed, ...needNoGateway)],
  [
    'managed-agent/passed-refusals.test.ts',
    'where its mailbox lies is nowhere',
    [503],
    ['resolveAgentMailbox'],
  ],
  ['managed-agent/passed-mail.test.ts', 'nor its gateway can be told of', [503], ['getAgentGateway']],
  ['managed-agent/passed-faults.test.ts', '%s is 502', [502], mail],
  ['managed-agent/passed-faults.test.ts', 'is prompted with a 501', [501], ['controlGatewayPrompt']],
  [
    'server/attach.test.ts',
    'a gateway is attached in a window, once',
    [200],
    ['attachGateway', 'detachGateway'],
  ],
  ['server/attach.test.ts', 'a session that nobody could run is a 503', [503], ['attachGateway']],
  ['server/agents.test.ts', 'are found by each of their names', [200], ['getAgent']],
  ['server/agents.test.ts', 'are listed in order', [200], ['listAgents']],
  ['server/agents.test.ts', 'is told for every name', [200], ['resolveAgent']],
  ['server/states.test.ts', 'is ready before its first turn', [200], ['getAgentState', 'getAgentDetail']],
  ['server/states.test.ts', 'has a history of its changes', [200], ['getAgentHistory']],
  ['server/states.test.ts', 'is looked at closely', [200], ['getTerminalState', 'getTerminalHistory']],
  [
    'server/states.test.ts',
    'the %s of a terminal that is none',
    [404],
    ['getTerminalState', 'getTerminalHistory'],
  ],
  ['server/launches.test.ts', 'a launched agent is listed', [200], ['launchHeadlessAgent']],
  ['server/launches.test.ts', 'a name that is taken is a 503', [503], ['launchHeadlessAgent']],
  ['server/register.test.ts', 'a registered session is an agent by all its names', [200], ['registerLaunch']],
  ['server/register.test.ts', '%s is refused, and nothing is changed', [400, 404], ['registerLaunch']],
  ['server/stop.test.ts', 'a headless agent is gone everywhere', [200], ['stopAgent']],
  ['../e2e/server/process.test.ts', 'answers its health', [200], ['getHealth', 'getCurrentInstance']],
  ['../e2e/server/process.test.ts', 'ends when it is told to over HTTP', [200], ['shutdownServer']],
  [
    '../e2e/server/own-turns.test.ts',
    'a prompt runs as a turn',
    [200],
    ['createTurn', 'getTurn', 'getTurnRecord', 'getTurnEvents'],
  ],
  [
    '../e2e/server/own-turns.test.ts',
    'an interrupt stops the turn; an idle agent has nothing to stop',
    [200],
    ['submitAgentRequest', 'interruptAgent'],
  ],
  [tmuxBroken, 'is not stopped, and is stopped later', [502, 503], ['stopAgent']],
  [tmuxBroken, 'is not registered', [503], ['registerLaunch']],
  ['server/attach.test.ts', 'whose own record is spoilt', [503], ['detachGateway']],
  [unreadable, 'is 503 while the records', [503], prompted],
  [unreadable, 'is 503 while the records', [503], [...turnReads, 'getTurnRecord', 'getAgentHistory']],
  [undelivered, 'is 502, and the turn goes on', [502], ['submitAgentRequest', 'interruptAgent']],
  [internal, 'runs a whole turn of that name', [200], ['runHeadlessPrompt']],
  [internal, 'is looked at as the server sees it', [200], ['getHeadlessDetail']],
  [internal, 'is interrupted, and idle', [200], ['interruptHeadlessTurn']],
  [internal, 'has no turns that the server runs', [400], those(({ path }) => path.includes('/internal/'))],
  [turns, 'takes no POST %s', [400], ['createTurn', 'interruptAgent']],
  [turns, 'has no turns of its own to read: %s', [400], turnReads],
  [turns, 'is given in parts; a part that is not there is 416', [200, 206, 416], texts],
];

const pairs = (statuses: readonly number[], list: readonly string[]): string[] =>
  list.flatMap((id) => statuses.map((status) => `${id} ${status}`));
const told = new Set(provoked.flatMap(([, , statuses, list]) => pairs(statuses, list)));
const wanted = operations.flatMap(({ operationId, statuses }) => pairs(statuses.map(Number), [operationId]));

describe('the statuses of the contract', () => {
  test('are each provoked by a named test', () => {
    expect(wanted.filter((pair) => !told.has(pair))).toEqual([]);
  });

  test('are all there are: nothing is told of that the contract does not have', () => {
    const known = new Set(wanted);
    expect([...told].filter((pair) => !known.has(pair))).toEqual([]);
  });

  test.each(provoked.map(([file, title]) => [file, title] as const))('%s has the test: %s', (file, title) => {
    expect(readFileSync(join('test/contract', file), 'utf8')).toContain(title);
  });
});
