import { expect, test } from 'vitest';
import { callerOf } from '../../../src/cli/caller.js';
import { candidatesFor, linesFor } from '../../../src/cli/completion.js';
import { managerProgram } from '../../../src/cli/program.js';

const surroundings = { programName: 'houmao-mgr', errorWindow: null, outputWindow: null, isColoured: false };
const program = managerProgram(callerOf({}, surroundings), true);
const values = (...words: string[]) =>
  candidatesFor(program, words, () => ['alpha', 'beta']).map(({ value }) => value);

test.each<[string[], string[]]>([
  [['ag'], ['agents']],
  [['com'], ['completion']],
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
])('%j may become %j', (words, expected) => {
  expect(values(...words)).toEqual(expected);
});

test('agents are looked for only where a name stands', () => {
  const asked = () => {
    throw new Error('asked');
  };
  expect(candidatesFor(program, ['agents', 'gateway', 'st'], asked)).toHaveLength(1);
  expect(() => candidatesFor(program, ['agents', 'gateway', 'status', ''], asked)).toThrow('asked');
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
