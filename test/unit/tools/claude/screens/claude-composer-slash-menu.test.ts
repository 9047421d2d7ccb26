import { expect, it } from 'vitest';
import { claudeScreen, closedUp, detectClaude } from '../../../../support/screens/claude-screen.js';

const menu = ['  ❯ /compact      Free up context', '    /my-plugin:co (project) Something'];
const above = (rows: readonly string[]): string => closedUp(claudeScreen(['● Text', '', ...rows], ['❯ /co']));
const below = (rows: readonly string[], composer: string): string =>
  claudeScreen(['● Text'], [composer], rows);

it.each([
  ['above the composer', above(menu)],
  ['below it, with a mark', below(['  ❯ /compact      Free up context', '    /copy'], '❯ /co')],
  ['below it', below(['  /compact      Free up context', '  /copy'], '❯ /co')],
])('a menu of commands %s is an overlay', (_where, capture) => {
  expect(detectClaude(capture)).toMatchObject({
    overlay: 'slash_command',
    dialog: null,
    acceptingInput: 'yes',
    editingInput: 'yes',
    readyPosture: 'unknown',
    successCandidate: false,
    successBlocked: true,
  });
});

it.each([
  ['a command that is typed', below(['  ? for shortcuts'], '❯ /co')],
  ['a path in the footer', below(['  /home/agents/proj  main'], '❯ /co')],
  ['commands below another draft', below(['  /compact      Free up context'], '❯ compact')],
  ['a suggestion', below(['  /compact      Free up context'], '❯ \u001b[2m/compact\u001b[0m')],
  [
    'commands in an answer further up',
    claudeScreen(['● These:', '', '  /compact   Free up', '', '  And more.'], ['❯ /co']),
  ],
])('%s is none', (_what, capture) => {
  expect(detectClaude(capture).overlay).toBeNull();
});
