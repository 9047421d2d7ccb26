import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialogOf } from '../../../../src/tools/screen/dialog.js';

const asked = (marked: number, ...more: string[]) =>
  dialogOf(
    'permission',
    [
      'Run it?',
      ...['Yes', 'No', 'Never'].map(
        (label, index) => `${index + 1 === marked ? '❯' : ' '} ${index + 1}. ${label}`,
      ),
      ...more,
    ],
    '❯',
  );

test('the question is the same whichever choice is marked and whatever keys are offered below', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.stringMatching(/^[a-z ]{0,12}$/)),
      (marked, below) => {
        const dialog = asked(marked, '', ...below);
        expect(dialog.question).toBe(asked(1).question);
        expect(dialog.choices.findIndex((choice) => choice.marked)).toBe(marked - 1);
      },
    ),
  );
});

test('other words, another choice and another kind are other questions', () => {
  const { question } = asked(1);
  const others = [
    dialogOf('permission', ['Run that?', '❯ 1. Yes', '  2. No', '  3. Never'], '❯'),
    dialogOf('permission', ['Run it?', '❯ 1. Yes', '  2. No'], '❯'),
    dialogOf('trust', ['Run it?', '❯ 1. Yes', '  2. No', '  3. Never'], '❯'),
  ];
  for (const other of others) expect(other.question).not.toBe(question);
});

test('a list without numbers is counted, and what goes on below a choice is none', () => {
  const rows = ['Trust it?', '', '❯ No, exit', '    and leave', '  Yes, I trust it', '', 'Enter to confirm'];
  expect(dialogOf('trust', rows, '❯').choices).toEqual([
    { number: 1, label: 'No, exit', marked: true },
    { number: 2, label: 'Yes, I trust it', marked: false },
  ]);
});

test('a dialog without numbered choices has none, and all its rows are the question', () => {
  const typed = dialogOf('login', ['Paste the code here', '> '], '❯');
  expect(typed.choices).toEqual([]);
  expect(typed.question).not.toBe(dialogOf('login', ['Paste the other code here', '> '], '❯').question);
});
