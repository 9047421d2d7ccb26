import { describe, expect, it } from 'vitest';
import { claudeScreen, detectClaude, rule } from '../../../../support/screens/claude-screen.js';

const above = ['❯ do it', '', '● I will.', ''];
const dialogOf = (...rows: string[]) => detectClaude([...above, ...rows].join('\n'));

describe('a dialog is', () => {
  it.each([
    [
      'permission',
      'to edit a file',
      [
        rule,
        ' Edit file',
        ' Do you want to make this edit to a.ts?',
        ' ❯ 1. Yes',
        '   2. No',
        '',
        ' Esc to cancel',
      ],
    ],
    [
      'permission',
      'to go on with a plan',
      [' Would you like to proceed?', '', ' ❯ 1. Yes, and auto-accept edits', '   2. No, keep planning'],
    ],
    [
      'permission',
      'in a frame',
      ['╭────────╮', '│ Do you want to proceed?   │', '│ ❯ 1. Yes │', '│   2. No  │', '╰────────╯'],
    ],
    [
      'trust',
      'of a folder',
      [
        rule,
        ' Accessing workspace:',
        '',
        ' /somewhere',
        '',
        ' ❯ 1. Yes, I trust this folder ✔',
        '   2. No, exit',
      ],
    ],
    [
      'trust',
      'of what is done unasked',
      [
        rule,
        ' WARNING: Claude Code running in Bypass Permissions mode',
        '',
        ' ❯ 1. No, exit',
        '   2. Yes, I accept',
      ],
    ],
    [
      'login',
      'how',
      [' Select login method:', '', ' ❯ 1. Claude account', '   2. Anthropic Console account'],
    ],
    [
      'login',
      'with a code',
      [' Browser didn’t open? Use the url below to sign in', '', ' Enter to continue · Esc to cancel'],
    ],
    ['update', 'offered', [rule, '  A new version is available', '', '  ❯ Update now', '    Later']],
    [
      'selection',
      'a question with numbered answers at the very left',
      [
        rule,
        ' ☐ Colour',
        '',
        'Which colour?',
        '',
        '❯ 1. Red',
        '     As blood',
        '  2. Blue',
        rule,
        '  3. Chat about this',
      ],
    ],
    [
      'selection',
      'a list of models',
      [rule, ' Select model', '', ' ❯ 1. Default ✔', '   2. Opus', '   3. Haiku'],
    ],
    ['selection', 'only known by its keys', [rule, ' Settings', '', '  Theme   dark', '', '  Esc to close']],
  ])('%s: %s', (kind, _what, rows) => {
    const signals = dialogOf(...rows);
    expect(signals.dialog?.kind).toBe(kind);
    expect(signals).toMatchObject({
      acceptingInput: 'no',
      readyPosture: 'no',
      editingInput: 'unknown',
      promptText: null,
      promptVisible: false,
      successCandidate: false,
      successBlocked: true,
      activeReasons: [],
    });
  });
});

describe('no dialog is', () => {
  it.each([
    ['a draft that looks like a choice', claudeScreen(above, ['❯ 1. Yes', '  2. No'])],
    ['a prompt of the conversation with numbers', claudeScreen(['❯ 1. one', '  2. two', '', '● Both done.'])],
    ['a question in an answer', claudeScreen([...above, '  Do you want to proceed?'])],
    ['a prompt whose composer is not painted yet', ['❯ first line', '  second line'].join('\n')],
    ['keys that an answer names', claudeScreen([...above, '  Enter to confirm · Esc to cancel'])],
    ['keys that a footer names', claudeScreen(above, undefined, ['  esc to cancel the search'])],
    ['one choice alone', [...above, ' ❯ nothing beside it'].join('\n')],
    ['a dialog that was answered', [rule, ' ❯ 1. Yes', '   2. No', '', '● Done.', '', 'more'].join('\n')],
    ['a menu of commands', claudeScreen([...above, '  ❯ /compact   Free up', '    /copy   Copy'], ['❯ /co'])],
    [
      'the screen of a tool that has left',
      [' ❯ 1. Yes', '   2. No', '', 'Resume this session with:'].join('\n'),
    ],
  ])('%s', (_what, capture) => {
    expect(detectClaude(capture).dialog).toBeNull();
  });
});

it('a dialog below a composer that was left on the screen is up', () => {
  const capture = [claudeScreen(above), '', ' Do you want to proceed?', ' ❯ 1. Yes', '   2. No'].join('\n');
  expect(detectClaude(capture)).toMatchObject({ dialog: { kind: 'permission' }, acceptingInput: 'no' });
});

it('the excerpt has the beginning and the end of a long dialog, and nothing from above it', () => {
  const lines = Array.from({ length: 70 }, (_, index) => `   line ${index}`);
  const excerpt = dialogOf(rule, ' Plan', ...lines, ' Would you like to proceed?', ' ❯ 1. Yes', '   2. No')
    .dialog!.excerpt;
  expect(excerpt.split('\n')).toHaveLength(41);
  expect(excerpt).toMatch(/^ Plan\n {3}line 0\n/);
  expect(excerpt).toMatch(/\n…\n/);
  expect(excerpt).toMatch(/ ❯ 1\. Yes\n {3}2\. No$/);
  expect(excerpt).not.toContain('I will.');
});
