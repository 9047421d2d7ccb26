import { expect, test } from 'vitest';
import { commandOutput, typedCommand } from '../../../../src/tools/claude/claude-transcript.js';

const named = '<command-name>/rename</command-name>\n            <command-message>rename</command-message>\n';

test.each([
  ['<bash-input>echo a\necho b</bash-input>', '!echo a\necho b'],
  [`${named}            <command-args>my title</command-args>`, '/rename my title'],
  [`${named}            <command-args></command-args>`, '/rename'],
  ['<command-message>review</command-message>\n<command-name>/review</command-name>', '/review'],
  ['<command-message>without a name</command-message>', null],
  ['what does <command-name>/help</command-name> do', null],
  ['<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>', null],
])('%j was typed as %j', (row, typed) => {
  expect(typedCommand(row)).toBe(typed);
});

test.each([
  ['<local-command-stdout>\u001b[2mCompacted\u001b[22m</local-command-stdout>', 'Compacted'],
  ['<local-command-stderr>No such thing\n</local-command-stderr>', 'No such thing'],
  ['<local-command-stdout></local-command-stdout>', ''],
  ['<local-command-caveat>The command below</local-command-caveat>', null],
  ['see <local-command-stdout>a</local-command-stdout>', null],
])('%j printed %j', (row, output) => {
  expect(commandOutput(row)).toBe(output);
});
