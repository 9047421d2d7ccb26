import { describe, expect, it } from 'vitest';
import { findGeminiDialog, geminiScreens } from '../../../../src/tools/gemini/gemini-screens.js';
import { signalsIn } from '../../../support/screens/detected-signals.js';
import { geminiScreen } from '../../../support/screens/gemini-screen.js';

const width = 50;
const boxed = (...rows: string[]): string[] => [
  `╭${'─'.repeat(width)}╮`,
  ...rows.map((row) => `│ ${row.padEnd(width - 1)}│`),
  `╰${'─'.repeat(width)}╯`,
];

describe('what a dialog is about', () => {
  it.each<[string, string[]]>([
    ['permission', ['Allow execution of [Shell]?', '', '● 1. Allow once', '  2. No (esc)']],
    [
      'permission',
      ['? Shell gcloud auth login --api-key x', '', '  1. Allow once', '● 2. No, sign in with another'],
    ],
    ['permission', ['Apply this', 'change?', '', '● 1. Yes', '  2. No']],
    ['permission', ['Apply this change?', '', '● 1. Yes', '  2. No']],
    ['trust', ['Do you trust the files in this folder?', '', '● 1. Trust folder (a)', "  2. Don't trust"]],
    ['login', ['How would you like to authenticate for this project?', '  1. Google', '● 2. Key']],
    ['update', ['Update available: 0.62.0', '● 1. Install', '  2. Later']],
    ['selection', ['Select a │ b', '', '● 1. a', '  2. b']],
    ['selection', ['Select Model', '', '● 1. Auto', '     the default', '  2. Manual']],
  ])('%s: %j', (kind, rows) => {
    const excerpt = rows.join('\n');
    expect(findGeminiDialog(['✦ An answer', '', ...boxed('', ...rows, '')])).toMatchObject({ kind, excerpt });
    expect(findGeminiDialog(boxed(...rows).map((row) => ` ${row}`))).toMatchObject({ kind, excerpt });
  });

  it('with a box in it, of which the top has scrolled away, or with a footer', () => {
    const inner = boxed('touch x').map((row) => row.replaceAll('─'.repeat(width), '─'.repeat(9)));
    const rows = boxed('? Shell', ...inner, 'Allow execution?', '● 1. Allow once', '  2. No');
    expect(findGeminiDialog(rows)?.excerpt.split('\n')[0]).toBe('? Shell');
    expect(findGeminiDialog(rows.slice(1))?.kind).toBe('permission');
    expect(findGeminiDialog([...rows, '', ' a', ' b', ' c', ' d'])?.kind).toBe('permission');
  });
});

describe('what is no dialog', () => {
  const dialog = boxed('Allow execution?', '● 1. Allow once', '  2. No');

  it.each<[string, string[]]>([
    ['a box without choices', boxed('● 1. Only one')],
    ['choices of which none is marked', boxed('1. a', '2. b')],
    ['choices without a box', ['● 1. a', '  2. b']],
    ['one with something below it', [...dialog, '✦ An answer']],
    ['one with much below it', [...dialog, ' a', ' b', ' c', ' d', ' e']],
    ['one above another box', [...dialog, ...boxed('✓  Shell')]],
    ['an empty screen', []],
  ])('%s', (_, rows) => {
    expect(findGeminiDialog(rows)).toBeNull();
  });

  it('one above a composer', () => {
    const screen = geminiScreen({ transcript: dialog });
    expect(signalsIn(geminiScreens, '0.61.0', screen)).toMatchObject({ dialog: null, readyPosture: 'yes' });
  });
});

it('a dialog keeps every prompt away', () => {
  const rows = boxed('Allow execution?', '● 1. Allow once', '  2. No').join('\n');
  expect(signalsIn(geminiScreens, '0.61.0', rows)).toMatchObject({
    acceptingInput: 'no',
    readyPosture: 'no',
    promptText: null,
    successCandidate: false,
    successBlocked: true,
  });
});
