import { describe, expect, it } from 'vitest';
import { findCodexDialog } from '../../../../../src/tools/codex/screens/codex-dialog.js';
import { codexScreens } from '../../../../../src/tools/codex/screens/codex-screens.js';
import { codexScreen, prompted } from '../../../../support/screens/codex-screen.js';
import { signalsIn } from '../../../../support/screens/detected-signals.js';

const confirm = '  Press enter to confirm or esc to cancel';
const goBack = '  Press enter to confirm or esc to go back';

it('is a list that goes on below its last row', () => {
  const rows = [
    '  Select Model and Effort',
    '',
    '› 1. One',
    '  2. Two',
    '↓',
    '',
    '  enter select · esc back',
  ];
  expect(findCodexDialog(rows)).toMatchObject({ kind: 'selection' });
  expect(findCodexDialog(rows.with(4, 'said in the transcript'))).toBeNull();
});

describe('what a dialog is about', () => {
  it.each<[string, readonly string[]]>([
    [
      'permission',
      [
        '  Would you like to run the following command?',
        '',
        '  $ gcloud auth login',
        '',
        '› 1. Yes',
        '  2. No',
        '',
        confirm,
      ],
    ],
    ['permission', ['  Would you like to', '  run the command?', '', '› 1. Yes', '  2. No', '', confirm]],
    ['permission', ['  Would you like to make the following edits?', '', '› 1. Yes', '  2. No', '', confirm]],
    ['permission', ['  The tool needs your approval.', '', '  Do you trust the contents?', '', confirm]],
    [
      'trust',
      [
        '> You are running Codex in /work',
        '',
        '  Do you trust the contents of this directory?',
        '',
        '› 1. Yes, continue',
        '  2. No, quit',
        '',
        '  Press enter to continue',
      ],
    ],
    [
      'trust',
      ['  › 1. Yes, allow Codex to work in this folder', '    2. No', '', '  Press enter to continue'],
    ],
    [
      'login',
      ['  Sign in again', '', '> 1. With a browser', '  2. With a code', '', '  Press enter to continue'],
    ],
    [
      'update',
      [
        '  ✨ Update available! 0.1.0 -> 0.2.0',
        '',
        '› 1. Update now',
        '  2. Skip',
        '  3. Skip until next version',
        '',
        '  Press enter to continue',
      ],
    ],
    [
      'selection',
      [
        '  Select Model and Effort',
        '',
        '  1. gpt-5',
        '     the default',
        '› 2. gpt-5-mini (current)',
        '',
        goBack,
      ],
    ],
    [
      'selection',
      ['  Question 1/2', '', '  What shall it be called?', '', '› a name', '', '  enter to submit answer'],
    ],
    ['selection', ['  Question 10/12', '', '  What is it?', '', '  enter to submit all']],
    ['selection', ['  Field 10/12', '', '  enter to submit | esc to cancel']],
    ['login', ['  Please log in again', '', '> 1. Now', '  2. Later', '', '  Press enter to continue']],
    ['selection', ['  Field 2/3', '', '  Region', '', '  enter to submit | esc to cancel']],
    ['selection', ['  An app', '  use tab / ↑ ↓ to move, enter to select, esc to close']],
  ])('%s: %j', (kind, rows) => {
    expect(findCodexDialog(['• Running something', '', ...rows])).toMatchObject({
      kind,
      excerpt: expect.stringContaining(rows[0]!.trim()),
    });
  });
});

it.each<[string, string[], string]>([
  [
    'the margin that all rows have',
    ['  Field 2/3', '', '    Region', '', '  enter to submit | esc to cancel'],
    'Field 2/3\n\n  Region\n\nenter to submit | esc to cancel',
  ],
  [
    'a word below the keys',
    ['  Allow Codex to run it?', '› 1. Yes', '  2. No', '  press enter to confirm', '  more'],
    '  Allow Codex to run it?\n› 1. Yes\n  2. No\n  press enter to confirm\n  more',
  ],
])('is shown without what is above it: %s', (_, rows, excerpt) => {
  expect(findCodexDialog(['  far above', '', '', '', ...rows])?.excerpt).toBe(excerpt);
  expect(findCodexDialog(['• Running something', ...rows])?.excerpt).toBe(excerpt);
});

it('asks for a permission in other words too', () => {
  const rows = ['  Allow Codex to run it?', '› 1. Yes', '  2. No', '', confirm];
  expect(findCodexDialog(rows)?.kind).toBe('permission');
});

describe('what is no dialog', () => {
  const dialog = ['  Would you like to run the following command?', '', '› 1. Yes', '  2. No', '', confirm];

  it('one that was answered and stands further up', () => {
    const screen = codexScreen({ transcript: [...dialog, '• Ran it', prompted('go on'), '• Done'] });
    expect(signalsIn(codexScreens, '0.116.0', screen)).toMatchObject({
      dialog: null,
      readyPosture: 'yes',
      acceptingInput: 'yes',
    });
  });

  it('a list that is typed, with any footer', () => {
    const footer = ['  esc again to edit previous message'];
    const screen = codexScreen({ draft: '1. press enter to confirm\n2. esc to cancel', footer });
    expect(signalsIn(codexScreens, '0.116.0', screen)).toMatchObject({
      dialog: null,
      editingInput: 'yes',
      promptText: '1. press enter to confirm\n2. esc to cancel',
    });
  });

  it.each<[string, readonly string[]]>([
    ['a single choice', ['› 1. Yes', '', confirm]],
    ['choices of which none is marked', ['  1. Yes', '  2. No', '', confirm]],
    ['choices without keys', ['› 1. Yes', '  2. No']],
    ['keys without choices', ['  It is done.', '', confirm]],
    ['keys further up', ['› 1. Yes', '  2. No', confirm, '  more', '  and more']],
    ['something between choices and keys', ['› 1. Yes', '  2. No', 'someone@host:~$', confirm]],
    ['choices below the keys', [confirm, '› 1. Yes', '  2. No']],
    ['choices far above the keys', ['› 1. Yes', '  2. No', ...Array(28).fill('  text'), confirm]],
    ['other keys than its own', ['  Question 1/2', '  enter to submit answer', '', '', '  esc to close']],
    ['an empty screen', []],
  ])('%s', (_, rows) => {
    expect(findCodexDialog(rows)).toBeNull();
  });
});

it('a dialog stands in the way of everything else', () => {
  const screen = ['• \u001b[1mRunning\u001b[0m touch', '', '› 1. Yes', '  2. No', '', confirm].join('\n');
  expect(signalsIn(codexScreens, '0.169.0', screen)).toMatchObject({
    acceptingInput: 'no',
    editingInput: 'unknown',
    readyPosture: 'no',
    promptVisible: false,
    promptText: null,
    activeReasons: [],
    successCandidate: false,
    successBlocked: true,
  });
});
