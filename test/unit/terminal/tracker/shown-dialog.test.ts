import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterSight,
  dialogSight,
  renewed,
  type ShownDialog,
} from '../../../../src/terminal/tracker/shown-dialog.js';
import { type Dialog, dialogOf } from '../../../../src/tools/screen/dialog.js';

const questions = ['May I run it?', 'May I write it?'].map((text) =>
  dialogOf('permission', [text, '❯ 1. Yes', '  2. No'], '❯'),
);
type Step = Dialog | null | 'renewed';
const steps = fc.array(fc.constantFrom<Step>(...questions, null, 'renewed'), { maxLength: 40 });
const after = (shown: ShownDialog | null, step: Step, at: Date): ShownDialog | null =>
  step !== 'renewed' ? afterSight(shown, step, at) : shown && renewed(shown, at);

test('an id stands for one question without a gap, and never comes again', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const gone = new Set<string>();
      let shown: ShownDialog | null = null;
      all.forEach((step, index) => {
        const next = after(shown, step, new Date(1000 * index));
        const same = step !== 'renewed' && step !== null && shown?.question === step.question;
        if (same) expect([next?.id, next?.since]).toEqual([shown?.id, shown?.since]);
        else if (shown !== null) gone.add(shown.id);
        if (next !== null) expect(gone.has(next.id)).toBe(false);
        expect(next === null).toBe(step === null || (step === 'renewed' && shown === null));
        shown = next;
      });
    }),
  );
});

test('a question tells where its mark stands now', () => {
  const [first] = questions;
  const moved = dialogOf('permission', ['May I run it?', '  1. Yes', '❯ 2. No'], '❯');
  const shown = afterSight(null, first!, new Date(0));
  expect(afterSight(shown, moved, new Date(1))).toMatchObject({
    id: shown!.id,
    choices: [{ marked: false }, { marked: true }],
  });
});

test('a screen that is half drawn neither ends a question nor makes it another one, for two seconds', () => {
  const [first] = questions;
  const shown = afterSight(null, first!, new Date(0));
  const drawn = afterSight(shown, 'half_drawn', new Date(1999));
  expect(drawn).toEqual(shown);
  expect(afterSight(drawn, first!, new Date(1999))).toMatchObject({ id: shown!.id, seen: new Date(1999) });
  expect(afterSight(shown, 'half_drawn', new Date(2000))).toBeNull();
  expect(afterSight(null, 'half_drawn', new Date(0))).toBeNull();
});

test('only a screen of which nothing is recognised is half drawn', () => {
  const blank = { dialog: null, promptVisible: false, activeReasons: [] };
  expect(dialogSight(blank)).toBe('half_drawn');
  expect(dialogSight({ ...blank, promptVisible: true })).toBeNull();
  expect(dialogSight({ ...blank, activeReasons: ['thinking_line'] })).toBeNull();
  expect(dialogSight({ ...blank, dialog: questions[0]! })).toBe(questions[0]);
  expect(dialogSight(null)).toBeNull();
});
