import { expect, it } from 'vitest';
import { claudeScreen, closedUp, detectClaude } from '../../../../support/screens/claude-screen.js';

const ghost = '\u001b[38;5;231;48;5;237m';
const off = '\u001b[0m';
const turn = ['❯ first', '', '✻ Baking…', ''];

it.each([
  [
    'a prompt with the word that it is queued',
    [...turn.slice(0, 2), '❯ second', '  ⎿  Queued · to send now', '', '✻ Baking…'],
    'yes',
  ],
  ['a prompt in the colours of a suggestion', [...turn, `  ❯ ${ghost}second${off}`], 'yes'],
  ['such a prompt of two rows', [...turn, `  ❯ ${ghost}second${off}`, `    ${ghost}and more${off}`], 'yes'],
  ['a prompt in other colours', [...turn, '  ❯ second'], 'unknown'],
  ['a hint, at whatever indentation', [...turn, '                    ◐ medium · /effort'], 'no'],
  ['a tip', [...turn, '  Tip: do this'], 'no'],
  ['a result that begins like it', ['❯ first', '', '● Bash(x)', '  ⎿  Queued 3 jobs', ''], 'no'],
  ['nothing', turn, 'no'],
  ['a prompt further up', [...turn, `  ❯ ${ghost}second${off}`, '', '  a hint'], 'no'],
  ['an earlier turn with a queue', ['  ⎿  Queued · to send now', ...turn], 'no'],
])('above the composer stands %s', (_what, conversation, pending) => {
  for (const capture of [claudeScreen(conversation), closedUp(claudeScreen(conversation))]) {
    expect(detectClaude(capture).pendingInput).toBe(pending);
  }
});

it('the composer offers to edit what is queued', () => {
  const placeholder = '❯ \u001b[2mPress up to edit queued messages\u001b[0m';
  expect(detectClaude(claudeScreen(turn, [placeholder])).pendingInput).toBe('yes');
  expect(detectClaude(claudeScreen(turn, ['❯ edit queued messages'])).pendingInput).toBe('no');
});

it('nothing is known without a composer, and while a menu covers its place', () => {
  expect(detectClaude(turn.join('\n')).pendingInput).toBe('unknown');
  expect(
    detectClaude(closedUp(claudeScreen([...turn, '    /compact   Free up'], ['❯ /co']))).pendingInput,
  ).toBe('unknown');
});
