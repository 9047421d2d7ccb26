import type { Schemas } from '@houmao/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fittedRow, questionRows, screenWords } from '../../../../src/cli/words/screen-words.js';

test.each([
  ['success', '10:00', 'The last turn was completed: 10:00.'],
  ['interrupted', null, 'The last turn was interrupted.'],
  ['known_failure', '10:00', 'The last turn failed: 10:00.'],
  ['none', null, ''],
] as const)('a last turn that is %s (%s) is said in a sentence', (result, at, words) => {
  const state = {
    diagnostics: { availability: 'available' },
    surface: { editing_input: 'no' },
    turn: { phase: 'ready' },
    tracked_session: { tool: 'claude', tmux_session_name: 'houmao-beta' },
    last_turn: { result, updated_at_utc: at },
    parsed_surface: null,
  } as unknown as Schemas['TerminalState'];
  expect(screenWords(state, (iso) => iso, null)[1]).toBe(words);
});

test.each([
  ['/abs/path/session', true],
  [null, false],
])(
  'of a tool that is not there, only one that was launched is said to have ended: %s',
  (session_root, ended) => {
    const state = {
      diagnostics: { availability: 'tui_down' },
      last_turn: { result: 'none', updated_at_utc: null },
      tracked_session: { tool: 'claude', tmux_session_name: 'guest', session_root },
      recent_transitions: [{ process_state: 'tui_down' }],
      parsed_surface: null,
    } as unknown as Schemas['TerminalState'];
    expect(screenWords(state, (iso) => iso, null)[0]?.includes(' any more ')).toBe(ended);
  },
);

test('rules and boxes of a wide screen are drawn as wide as the window', () => {
  const rule = '─'.repeat(220);
  const boxed = `│ Allow it?${' '.repeat(208)}│`;
  expect(questionRows(`${rule}\n${boxed}\n\n1. Yes`, 24)).toEqual([
    `  ${'─'.repeat(22)}`,
    `  │ Allow it?${' '.repeat(10)}│`,
    '',
    '  1. Yes',
  ]);
});

test('where there is no window, nothing is cut', () => {
  expect(questionRows('─'.repeat(220), null)).toEqual([`  ${'─'.repeat(220)}`]);
});

test('no word is cut, and a row is only wider than the window where nothing of it is drawn twice', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(' ', '─', '═', '▔').chain((drawn) => fc.nat(60).map((times) => drawn.repeat(times))),
  );
  const words = (row: string) => row.split(/[ \u2500-\u259f]+/);
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 80 }), (pieces, width) => {
      const row = pieces.join('');
      const fitted = fittedRow(row, width);
      expect(words(fitted)).toEqual(words(row));
      if (row.length <= width) expect(fitted).toBe(row);
      else if (fitted.length > width) expect(fitted).not.toMatch(/([ \u2500-\u259f])\1/);
      else expect(fitted.length).toBe(width);
    }),
  );
});
