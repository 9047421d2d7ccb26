import { expect, test } from 'vitest';
import { callerOf } from '../../../src/cli/caller.js';
import { candidatesFor, type KnownNames, linesFor } from '../../../src/cli/completion.js';
import { managerProgram } from '../../../src/cli/program.js';

const surroundings = { programName: 'houmao-mgr', errorWindow: null, outputWindow: null, isColoured: false };
const program = managerProgram(callerOf({}, surroundings), true);
const known: KnownNames = {
  agents: () => ['alpha', 'beta'],
  requests: async (agent, states) =>
    ['accepted', 'running', 'failed']
      .filter((state) => states?.includes(state) ?? true)
      .map((state) => ({ value: `${state}-of-${agent}`, description: state })),
  turns: async (agent) => [{ value: `turn-of-${agent}`, description: '' }],
  contexts: () => ['here', 'build'].map((value) => ({ value, description: '' })),
};
const values = async (...words: string[]) =>
  (await candidatesFor(program, words, known)).map(({ value }) => value);

test.each<[string[], string[]]>([
  [['ag'], ['agents']],
  [['com'], ['completion']],
  [
    ['agents', 'list', '--context', ''],
    ['here', 'build'],
  ],
  [['context', 'use', 'b'], ['build']],
  [['context', 'add', ''], []],
  [
    ['config', 'set', 'log'],
    ['log-size', 'log-days', 'log-files'],
  ],
  [
    ['agents', 'requests', ''],
    ['list', 'show', 'wait', 'cancel', 'help'],
  ],
  [['agents', 'requests', 'w'], ['wait']],
  [
    ['agents', 'prompt', ''],
    ['alpha', 'beta'],
  ],
  [['agents', 'prompt', 'b'], ['beta']],
  [['agents', 'requests', 'get', 'a'], ['alpha']],
  [['agents', 'prompt', 'alpha', ''], []],
  [['agents', 'prompt', '--timeout', '5m', 'a'], ['alpha']],
  [['agents', 'prompt', '--new', 'a'], ['alpha']],
  [['agents', 'prompt', 'alpha', '--no-w'], ['--no-wait']],
  [['agents', 'prompt', '--', '--no-w'], []],
  [['agents', 'prompt', '--file', ''], []],
  [
    ['agents', 'launch', '--tool', 'c'],
    ['claude', 'codex'],
  ],
  [
    ['agents', 'requests', 'list', 'alpha', '--state', 'c'],
    ['completed', 'coalesced', 'cancelled'],
  ],
  [['agents', 'events', 'alpha', '--kind', 'turn_e'], ['turn_ended']],
  [
    ['agents', 'single', '--agent-name', ''],
    ['alpha', 'beta'],
  ],
  [['agents', 'single', '--agent-name', 'alpha', 'mail', 'ch'], ['check']],
  [['server', 'nonsense', ''], []],
  [
    ['agents', 'requests', 'show', 'alpha', ''],
    ['accepted-of-alpha', 'running-of-alpha', 'failed-of-alpha'],
  ],
  [['agents', 'requests', 'cancel', 'alpha', ''], ['accepted-of-alpha']],
  [
    ['agents', 'requests', 'wait', '--timeout', '5m', 'alpha', ''],
    ['accepted-of-alpha', 'running-of-alpha'],
  ],
  [['agents', 'follow', 'beta', 'turn'], ['turn-of-beta']],
  [['agents', 'turns', 'get', 'beta', ''], ['turn-of-beta']],
])('%j may become %j', async (words, expected) => {
  expect(await values(...words)).toEqual(expected);
});

test('agents are looked for only where a name stands', async () => {
  const asking: KnownNames = {
    ...known,
    agents: () => {
      throw new Error('asked');
    },
  };
  expect(await candidatesFor(program, ['agents', 'gateway', 'st'], asking)).toHaveLength(1);
  await expect(candidatesFor(program, ['agents', 'gateway', 'status', ''], asking)).rejects.toThrow('asked');
});

test('each shell gets its own lines', () => {
  const candidates = [
    { value: 'a:b', description: 'what it is' },
    { value: 'plain', description: '' },
  ];
  expect(linesFor('bash', candidates)).toEqual(['a:b', 'plain']);
  expect(linesFor('zsh', candidates)).toEqual(['a\\:b:what it is', 'plain']);
  expect(linesFor('fish', candidates)).toEqual(['a:b\twhat it is', 'plain']);
});
