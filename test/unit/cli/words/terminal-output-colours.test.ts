import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { painted, wantsColours } from '../../../../src/cli/words/terminal-output.js';

test.each<[boolean, NodeJS.ProcessEnv, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: '' }, true],
])('on a terminal: %s, with %j, colours are wanted: %s', (isTerminal, environment, wanted) => {
  expect(wantsColours(isTerminal, environment)).toBe(wanted);
});

test('what is painted says the same', () => {
  const line = painted('  FAILED   port', [{ pattern: /FAILED/, format: 'red' }]);
  expect(line).toBe('  \u001b[31mFAILED\u001b[39m   port');
  expect(stripVTControlCharacters(line)).toBe('  FAILED   port');
  expect(painted('ok', [{ pattern: /FAILED/, format: 'red' }])).toBe('ok');
});
