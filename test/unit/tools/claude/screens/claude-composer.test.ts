import { expect, it } from 'vitest';
import { claudeScreen, detectClaude, rule } from '../../../../support/screens/claude-screen.js';

const ghost = '\u001b[38;5;231;48;5;237m';
const off = '\u001b[0m';
const composerOf = (...rows: string[]) => detectClaude(claudeScreen(['● Text'], rows));

it.each([
  ['nothing', ['❯'], 'no', null],
  ['the cursor alone', ['❯\u00a0\u001b[7m \u001b[0m'], 'no', null],
  ['text', ['❯\u00a0text\u001b[7m \u001b[0m'], 'yes', 'text'],
  ['coloured text', ['❯ \u001b[38;5;153m/command\u001b[39m and more'], 'yes', '/command and more'],
  ['rows of text', ['❯ one', '    two', '', '  three'], 'yes', 'one\n  two\n\nthree'],
  ['rows of which the first is empty', ['❯', '  two'], 'yes', '\ntwo'],
  ['a placeholder', [`❯ \u001b[7mT\u001b[0;2mry this${off}`], 'no', null],
  ['a suggestion', [`❯ ${ghost}and then?${off}`], 'no', null],
  ['text that a suggestion completes', [`❯ and ${ghost}then?${off}`], 'yes', 'and'],
  ['a suggestion under the cursor', [`❯ and \u001b[7mt${off}${ghost}hen?${off}`], 'yes', 'and'],
  ['a command with a hint', [`❯ /compact \u001b[2m<instructions>${off}`], 'yes', '/compact'],
  ['a word between hints', [`❯ \u001b[2mdim${off} text`], 'yes', 'dim text'],
  ['text in the foreground of a suggestion', ['❯ \u001b[38;5;231mtext\u001b[0m'], 'yes', 'text'],
  ['a command for the shell', ['!\u00a0echo a', '  b'], 'yes', '!echo a\nb'],
  ['the sign of one alone', ['!\u00a0\u001b[7m \u001b[0m'], 'yes', '!'],
  ['underlined text', ['❯ \u001b[4mtext\u001b[0m'], 'unknown', null],
])('the composer holds %s', (_what, rows, editing, text) => {
  expect(composerOf(...rows)).toMatchObject({
    promptVisible: true,
    acceptingInput: 'yes',
    readyPosture: 'yes',
    editingInput: editing,
    promptText: text,
  });
});

it('a suggestion is noted', () => {
  expect(composerOf(`❯ ${ghost}and then?${off}`).notes).toContain('ghost_suggestion_style');
  expect(composerOf('❯ text').notes).not.toContain('ghost_suggestion_style');
  expect(composerOf('❯ \u001b[4mtext\u001b[0m').notes).toContain('unrecognized_prompt_presentation');
});

it.each([
  ['another sign before the text', [rule, '$ ls', rule, '  footer']],
  ['no rule above', ['● Text', '❯ text', rule, '  footer']],
  ['no rule below', [rule, '❯ text', '  footer']],
  ['rows that are not indented', [rule, '❯ text', 'more', rule, '  footer']],
  ['rules of a few characters', ['───', '❯ text', '───', '  footer']],
])('no composer is what has %s', (_what, rows) => {
  expect(detectClaude(rows.join('\n'))).toMatchObject({
    promptVisible: false,
    acceptingInput: 'unknown',
    editingInput: 'unknown',
    readyPosture: 'unknown',
    promptText: null,
  });
});
