// The output of a command that fails, for programs: one JSON object on standard error, and an exit code for each kind of failure.
import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../support/http.js';
import { manage, managerEnvironment } from '../../support/manager.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { managerProgram, standinProgram } from '../../support/test-session.js';

const folder = temporaryFolder();
const environment: NodeJS.ProcessEnv = managerEnvironment(folder);
const run = (...args: string[]) => manage(environment, args);
const launch = (name: string, ...more: string[]) =>
  run(
    ...['agents', 'launch', '--tool', 'claude', '--headless', '--executable', standinProgram],
    ...['--name', name, '--workdir', folder, '--home', join(folder, 'home'), '--no-tmux', ...more],
  );
let url = '';

beforeAll(async () => {
  url = JSON.parse((await launch('alpha', '--json')).stdout).gateway_url;
  expect((await launch('alone', '--no-gateway')).code).toBe(0);
});
// A clean-up of `beforeAll` comes after the folder is gone.
afterAll(async () => {
  for (const name of ['alpha', 'alone']) await run('agents', 'stop', name);
});

test.each([
  ['nobody has the name', ['prompt', 'nobody', 'hi'], 5, 'not_found', /Agents: alone, alpha/],
  ['no gateway serves', ['gateway', 'status', 'alone'], 6, 'no_gateway', /agents gateway attach alone/],
  [
    'nobody has the id',
    ['requests', 'show', 'alpha', 'gwreq-none'],
    5,
    'unknown_request',
    /requests list alpha/,
  ],
  ['a flag is not known', ['list', '--nonsense'], 2, 'usage', /--help/],
  ['an argument is missing', ['prompt', 'alpha'], 2, 'usage', /--help/],
  ['the name is empty', ['prompt', '', 'hi'], 2, 'usage', /Agents: alone, alpha/],
  ['a command is missing', [], 2, 'usage', /--help/],
  ['flags do not go together', ['gateway', 'reconcile', 'alpha'], 2, 'usage', null],
  [
    'the name is taken',
    ['launch', '--tool', 'claude', '--headless', '--name', 'alpha', '--executable', standinProgram],
    1,
    'name_taken',
    /agents stop alpha/,
  ],
  ['the agent fails', ['prompt', 'alpha', '[[exit=3]] oops'], 1, 'agent_failed', null],
])('with --json, where %s, a failure is one object', async (_what, args, code, errorCode, hint) => {
  const ran = await run('agents', ...args, '--json');
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toMatch(/^\{.*\}\n$/);
  const failure = JSON.parse(ran.stderr);
  expect(Object.keys(failure)).toEqual([
    ...['error_code', 'detail', 'hint', 'remedies', 'request_id', 'turn_id', 'idempotency_key'],
  ]);
  expect(failure).toMatchObject({ error_code: errorCode, detail: expect.stringMatching(/\S/) });
  if (hint === null) expect(failure.hint).toBeNull();
  else expect(failure.hint).toMatch(hint);
  expect(failure.hint ?? '').not.toContain('\n');
  for (const { label, command } of failure.remedies) {
    expect(label).toMatch(/\S/);
    expect(command).toMatch(/^houmao-mgr \S/);
    expect(failure.hint).toContain(command);
  }
});

test('a failed prompt names its request and turn', async () => {
  const { stderr } = await run('agents', 'prompt', 'alpha', '[[exit=3]] oops', '--json');
  const { request_id, turn_id } = JSON.parse(stderr);
  expect((await call(url, 'GET', `/v1/requests/${request_id}`)).body.turn.turn_id).toBe(turn_id);
});

test('one that was not asked for JSON gets a sentence', async () => {
  expect(await run('agents', 'prompt', 'nobody', '--', '--json')).toEqual({
    code: 5,
    stdout: '',
    stderr: 'houmao-mgr: No agent is named nobody. Agents: alone, alpha\n',
  });
});

test('a gateway taken for a server is distinguished from one that does not know the agent', async () => {
  for (const args of [['list'], ['interrupt', 'alpha']]) {
    const ran = await run('agents', ...args, '--server', url, '--json');
    expect([ran.code, JSON.parse(ran.stderr)]).toMatchObject([6, { error_code: 'not_a_server' }]);
  }
});

test('the help of the program says what the exit codes mean, and that of each command leads there', async () => {
  expect((await run('--help')).stdout).toMatch(
    /Exit codes:\n +0 +done[\s\S]*\n +6 +no gateway, server or host of a fleet answers[\s\S]*\n +130 +stopped by Ctrl-C\n/,
  );
  for (const args of [
    ['agents', 'launch'],
    ['mailbox', 'export'],
    ['agents', 'mail', 'send'],
  ])
    expect((await run(...args, '--help')).stdout).toMatch(
      /\nExit codes and --json failures: houmao-mgr --help\n$/,
    );
});

test('a hint begins with what the program was called by', async () => {
  const { HOME: _, ...elsewhere } = environment;
  const { stderr } = await manage({ ...elsewhere, HOME: join(folder, 'another') }, [
    ...['agents', 'gateway', 'status', 'alone'],
  ]);
  expect(stderr).toContain(
    ` Start one: node ${relative(process.cwd(), managerProgram)} agents gateway attach alone\n`,
  );
});

test('a flag that Node knows, too, is read by the program alone', async () => {
  const args = [
    'agents',
    'launch',
    '--tool',
    'claude',
    '--headless',
    '--env-file',
    join(folder, 'no-such.env'),
  ];
  const ended = promisify(execFile)(managerProgram, args, { env: environment }).catch((error) => error);
  expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining('--env-file') });
});
