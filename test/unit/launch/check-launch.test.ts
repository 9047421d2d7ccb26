import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BadEnvironment } from '../../../src/foundation/environment.js';
import { type AgentHost, agentHost } from '../../../src/launch/agent-host.js';
import { checkLaunch } from '../../../src/launch/check-launch.js';
import { createSession } from '../../../src/launch/create-session.js';
import { LaunchRefused, type LaunchTrouble } from '../../../src/launch/launch-fault.js';
import type { RequestedLaunch } from '../../../src/launch/launch-request.js';
import { hostIn, requestFor } from '../../support/launch-host.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { standinProgram } from '../../support/test-session.js';

let folder: string;
let host: AgentHost;
beforeEach(() => {
  folder = temporaryFolder();
  host = hostIn(folder, { ANTHROPIC_API_KEY: 'sk-1', SET_HERE: 'there', PRIVATE: 'stays here' });
});

const withVariable = (name: string, value: string): Partial<RequestedLaunch> => ({
  variables: [{ name, value }],
});

test('what is left open is filled in from the host, and from nothing else', () => {
  const variables = [
    { name: 'SET_HERE', value: null },
    { name: 'GIVEN', value: 'first' },
    { name: 'GIVEN', value: 'then this' },
  ];
  const { name: _, ...open } = requestFor('x', folder, { variables });
  expect(checkLaunch({ ...open, name: null }, host)).toEqual({
    tool: 'claude',
    name: 'claude',
    role: null,
    roleName: 'default',
    model: null,
    reasoningLevel: null,
    workingDirectory: folder,
    homePath: join(folder, '.claude'),
    executable: standinProgram,
    environment: {
      PATH: process.env.PATH,
      HOME: folder,
      ANTHROPIC_API_KEY: 'sk-1',
      SET_HERE: 'there',
      GIVEN: 'then this',
    },
    toolArguments: [],
    unattended: false,
    tmux: false,
    terminal: false,
    hooks: false,
    skills: false,
    mailbox: null,
    turnTimeLimitSeconds: null,
    startup: { kind: 'none' },
  });
  expect(existsSync(join(folder, 'runtime'))).toBe(false);
});

test.each<[string, NodeJS.ProcessEnv, Partial<RequestedLaunch>, string, string | undefined]>([
  ['where this host has it', { CLAUDE_CONFIG_DIR: '/hosts' }, {}, '/hosts', '/hosts'],
  [
    'where --env names it',
    { CLAUDE_CONFIG_DIR: '/hosts' },
    withVariable('CLAUDE_CONFIG_DIR', '/env'),
    '/env',
    '/env',
  ],
  ['where --home names it', { CLAUDE_CONFIG_DIR: '/hosts' }, { homePath: '/named' }, '/named', undefined],
  ['below the HOME that --env names', {}, withVariable('HOME', '/users'), '/users/.claude', undefined],
])('the home of the tool is %s', (_where, variables, change, home, recorded) => {
  const request = checkLaunch(
    requestFor('x', folder, { homePath: null, ...change }),
    hostIn(folder, variables),
  );
  expect([request.homePath, request.environment.CLAUDE_CONFIG_DIR]).toEqual([home, recorded]);
});

test('a bare name of a program is looked up on the PATH that the agent gets', () => {
  const requested = requestFor('x', folder, {
    executable: 'standin-agent.js',
    variables: [{ name: 'PATH', value: join(standinProgram, '..') }],
  });
  expect(checkLaunch(requested, host).executable).toBe(standinProgram);
});

const refusal = (requested: RequestedLaunch): LaunchTrouble | null => {
  try {
    checkLaunch(requested, host);
  } catch (error) {
    if (error instanceof LaunchRefused) return error.trouble;
    throw error;
  }
  return null;
};

test.each<[Partial<RequestedLaunch>, LaunchTrouble]>([
  [{ name: '../x' }, { code: 'invalid_name', name: '../x' }],
  [{ executable: '/nowhere/claude' }, { code: 'program_missing', program: '/nowhere/claude', isNamed: true }],
  [{ workingDirectory: '/nowhere' }, { code: 'no_folder', path: '/nowhere' }],
  [{ workingDirectory: standinProgram }, { code: 'no_folder', path: standinProgram }],
  [{ workingDirectory: `/${'x'.repeat(300)}` }, { code: 'no_folder', path: `/${'x'.repeat(300)}` }],
  [{ variables: [{ name: 'A-B', value: '1' }] }, { code: 'invalid_variable', name: 'A-B' }],
  [{ variables: [{ name: 'NOT_SET', value: null }] }, { code: 'variable_not_set', name: 'NOT_SET' }],
  [
    { variables: [{ name: 'A', value: 'a\rb' }] },
    { code: 'unstorable_variable', detail: expect.stringContaining('The value of A contains') },
  ],
  [
    { reasoningLevel: 0 },
    { code: 'reasoning_refused', level: 0, reason: expect.stringMatching(/\w/) as unknown as string },
  ],
  [{ toolArguments: ['--resume=x'] }, { code: 'reserved_argument', argument: '--resume=x' }],
  [{ hooks: true }, { code: 'hooks_without_terminal' }],
  [
    { hooks: true, terminal: true, tmux: true, toolArguments: ['--settings', '{}'] },
    { code: 'hooks_refused', reason: expect.stringContaining('--settings') as unknown as string },
  ],
])('%j is refused by kind', (change, trouble) => {
  expect(refusal(requestFor('x', folder, change))).toEqual(trouble);
});

test('a name that is taken is refused, in either form', async () => {
  await createSession(checkLaunch(requestFor('taken', folder), host), host);
  for (const name of ['taken', 'HOUMAO-taken'])
    expect(refusal(requestFor(name, folder))).toMatchObject({ code: 'name_taken', name: 'HOUMAO-taken' });
});

test('the sentences name no flags: a server says them too', () => {
  const troubles: LaunchTrouble[] = [
    { code: 'invalid_name', name: 'n' },
    { code: 'name_taken', name: 'n', manifestPath: '/m' },
    { code: 'program_missing', program: 'p', isNamed: false },
    { code: 'no_folder', path: '/p' },
    { code: 'folder_denied', folder: 'home', path: '/p', reason: 'no' },
    { code: 'invalid_variable', name: 'v' },
    { code: 'variable_not_set', name: 'v' },
    { code: 'unstorable_variable', detail: 'The value of v.' },
    { code: 'reasoning_refused', level: 1, reason: 'no.' },
    { code: 'reserved_argument', argument: 'x' },
    { code: 'hooks_without_terminal' },
    { code: 'hooks_refused', reason: 'no.' },
  ];
  for (const trouble of troubles) {
    expect(new LaunchRefused(trouble).message).toMatch(/\.$/);
    expect(new LaunchRefused(trouble).message).not.toMatch(/(^|\s)--\w|houmao-mgr/);
  }
});

test('a host needs absolute folders', () => {
  writeFileSync(join(folder, 'file'), '');
  for (const name of ['HOUMAO_GLOBAL_RUNTIME_DIR', 'HOUMAO_GLOBAL_REGISTRY_DIR']) {
    expect(() => agentHost({ [name]: 'relative' }, host.clock)).toThrow(BadEnvironment);
    expect(() => agentHost({ [name]: 'relative' }, host.clock)).toThrow(name);
  }
  expect(agentHost({ HOME: '/h' }, host.clock)).toMatchObject({
    home: '/h',
    runtimeRoot: '/h/.houmao/runtime',
    registryRoot: '/h/.houmao/registry',
  });
});
