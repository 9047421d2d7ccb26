import { expect, test } from 'vitest';
import { commandOf, menuOf } from '../../../../standin/src/tui/slash-commands.js';

test.each([
  ['/clear', { kind: 'new-conversation', name: 'clear', args: '' }],
  ['/new\n', { kind: 'new-conversation', name: 'new', args: '' }],
  ['/quit', { kind: 'leave', name: 'quit', args: '' }],
  ['/nosuch a b', { kind: 'unknown', name: 'nosuch', args: 'a b' }],
  ['/etc/hosts is a file', null],
  ['/', null],
  ['say /clear', null],
])('%j is a command, or text', (prompt, command) => {
  expect(commandOf(prompt)).toEqual(command);
});

test('the menu has the commands that begin like the draft', () => {
  expect(menuOf('/').length).toBeGreaterThan(3);
  expect(menuOf('/cl').map(({ command }) => command)).toEqual(['/clear']);
  expect(menuOf('/clear ')).toEqual([]);
  expect(menuOf('clear')).toEqual([]);
  expect(menuOf('')).toEqual([]);
});
