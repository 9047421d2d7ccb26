import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Decision,
  type DeliveryCheck,
  decide,
  justPasted,
  type NextStep,
  type TypedPrompt,
  usualTimeouts,
} from '../../../../src/agent/local-terminal/submission.js';

const quiet: Omit<DeliveryCheck, 'at'> = {
  lost: null,
  scrolled: false,
  dialog: null,
  composer: 'empty',
  working: false,
  echoed: false,
  taken: null,
  refused: false,
};
const every = 100;

/** The steps while a terminal shows one state after the other, a tenth of a second apart; the last one stays. */
function play(
  checks: readonly Partial<DeliveryCheck>[],
  timeouts = usualTimeouts,
): { done: NextStep[]; last: Decision } {
  let submission: TypedPrompt = justPasted(0);
  const done: NextStep[] = [];
  for (let look = 1; ; look += 1) {
    const check = { ...quiet, ...(checks[look - 1] ?? checks.at(-1)), at: look * every };
    const decision = decide(submission, check, timeouts);
    submission = decision.submission;
    if (decision.next.do !== 'check') done.push(decision.next);
    if (decision.next.do === 'end') return { done, last: decision };
    if (look > 1000) throw new Error('it never ends');
  }
}
const ends = (checks: readonly Partial<DeliveryCheck>[]) => play(checks).done.at(-1);
const keys = (checks: readonly Partial<DeliveryCheck>[]) =>
  play(checks)
    .done.map((step) => step.do)
    .filter((step) => step !== 'end');
const times = (count: number, check: Partial<DeliveryCheck>) => Array.from({ length: count }, () => check);

const ours = { composer: 'ours' } as const;
const atWork = { composer: 'empty', working: true } as const;
const taken = { composer: 'empty', working: true, taken: 'user row 7' } as const;

describe('a pasted prompt', () => {
  test('is entered when it stands in the composer, and confirmed by the word of the agent', () => {
    const checks = [{}, ...times(3, ours), taken];
    expect(keys(checks)).toEqual(['press_enter']);
    expect(ends(checks)).toEqual({ do: 'end', delivery: 'confirmed', evidence: 'user row 7' });
  });

  test('is not entered before the tool has settled', () => {
    const { done } = play([ours, ours, atWork]);
    expect(done.map((step) => step.do)).toEqual(['press_enter', 'end']);
    expect(decide(justPasted(0), { ...quiet, ...ours, at: 99 }, usualTimeouts).next.do).toBe('check');
    expect(decide(justPasted(0), { ...quiet, ...ours, at: 100 }, usualTimeouts).next.do).toBe('press_enter');
  });

  test('is confirmed by the screen where the agent says nothing of itself', () => {
    expect(ends([...times(3, ours), atWork])).toMatchObject({
      delivery: 'confirmed',
      evidence: 'the composer emptied and the screen shows the agent at work',
    });
  });

  test.each([
    ['the prompt is in the transcript', [{ composer: 'unknown', dialog: 'permission', echoed: true }]],
    ['the composer emptied', [{}, { composer: 'unknown', dialog: 'permission' }]],
  ] as const)('over which the agent asks something is confirmed: %s', (evidence, checks) => {
    expect(ends([...times(3, ours), ...checks])).toEqual({
      do: 'end',
      delivery: 'confirmed',
      evidence: `${evidence}, and the agent asks for an answer (permission)`,
    });
  });

  test('that nobody saw before a dialog came up is unconfirmed', () => {
    expect(ends([...times(3, ours), { composer: 'unknown', dialog: 'permission' }])).toMatchObject({
      delivery: 'unconfirmed',
    });
  });

  test('in a terminal where somebody scrolls is entered once that is ended', () => {
    const scrolled = { ...ours, scrolled: true };
    expect(keys([...times(3, scrolled), ours, taken])).toEqual([
      'leave_mode',
      'leave_mode',
      'leave_mode',
      'press_enter',
    ]);
    // Somebody who begins again and again has the terminal.
    expect(keys([...times(18, scrolled), ours, {}]).filter((step) => step !== 'leave_mode')).toEqual([
      'press_enter',
    ]);
    const { done } = play([...times(200, scrolled)]);
    expect(done.at(-1)).toMatchObject({ delivery: 'failed', stranded: true });
    expect(done.some((step) => step.do === 'press_enter')).toBe(false);
  });

  test('is entered once more when Enter did nothing, and then taken out again', () => {
    expect(keys([...times(12, ours), atWork])).toEqual(['press_enter', 'press_enter']);
    expect(keys([...times(22, ours), {}])).toEqual(['press_enter', 'press_enter', 'clear']);
    expect(ends([...times(22, ours), {}])).toEqual({
      do: 'end',
      delivery: 'failed',
      stranded: false,
      evidence: 'Enter was pressed 2 times and not taken',
    });
  });

  test('that cannot be taken out again is said to be stranded', () => {
    expect(ends([ours])).toMatchObject({ delivery: 'failed', stranded: true });
  });

  test('that never appears is not entered', () => {
    expect(keys([{}])).toEqual([]);
    expect(ends([{}])).toEqual({
      do: 'end',
      delivery: 'failed',
      stranded: true,
      evidence: 'the text never appeared in the composer',
    });
  });

  test('meets a dialog before Enter: no key is pressed while it is up', () => {
    const dialog = { ...ours, dialog: 'permission' };
    expect(keys([dialog])).toEqual([]);
    expect(ends([dialog])).toMatchObject({ delivery: 'failed', stranded: true });
    expect(keys([dialog, dialog, ours, {}])).toEqual(['clear']);
    expect(ends([dialog, dialog, ours, {}])).toMatchObject({
      evidence: 'a permission dialog opened before Enter',
      stranded: false,
    });
  });

  test('beside text of somebody else is left alone', () => {
    expect(keys([{ composer: 'foreign' }])).toEqual([]);
    expect(ends([{ composer: 'foreign' }])).toMatchObject({
      delivery: 'failed',
      stranded: true,
      evidence: 'other text is in the composer',
    });
  });

  test("of which only a part was drawn when the screen was read is not somebody else's text", () => {
    const torn = { composer: 'foreign' } as const;
    expect(ends([torn, torn, ...times(3, ours), taken])).toMatchObject({ delivery: 'confirmed' });
    expect(keys([...times(22, ours), torn, torn, {}])).toEqual(['press_enter', 'press_enter', 'clear']);
    expect(ends([...times(23, ours), torn, torn, {}])).toMatchObject({ delivery: 'failed', stranded: false });
  });

  test('of which Enter made another text is not said to have left the composer', () => {
    expect(ends([...times(3, ours), { composer: 'foreign' }])).toMatchObject({
      delivery: 'unconfirmed',
      evidence: 'other text is in the composer now, and nothing shows that the agent took the prompt',
    });
  });

  test('whose tool ends before Enter has failed, after it nobody knows', () => {
    const gone = { lost: 'the tool has ended' };
    expect(ends([gone])).toMatchObject({ delivery: 'failed', evidence: 'the tool has ended' });
    expect(ends([...times(3, ours), gone])).toMatchObject({
      delivery: 'unconfirmed',
      evidence: 'after Enter, the tool has ended',
    });
    expect(ends([...times(3, ours), { ...gone, taken: 'user row 7' }])).toMatchObject({
      delivery: 'confirmed',
    });
  });

  test('that leaves the composer without a sign is unconfirmed', () => {
    expect(ends([...times(3, ours), {}])).toMatchObject({ delivery: 'unconfirmed' });
  });

  test('whose Enter was only slow is not said to have failed', () => {
    expect(ends([...times(21, ours), atWork])).toMatchObject({ delivery: 'confirmed' });
    expect(ends([...times(22, ours), atWork])).toMatchObject({ delivery: 'unconfirmed' });
    expect(ends([...times(22, ours), { composer: 'empty', echoed: true }])).toMatchObject({
      delivery: 'confirmed',
      evidence: 'the composer emptied and the prompt is in the transcript',
    });
  });

  test('on a screen that showed it late gets as much longer to leave', () => {
    const late = times(10, {});
    expect(keys([...late, ...times(20, ours), atWork])).toEqual(['press_enter']);
    expect(keys([...late, ...times(21, ours), atWork])).toEqual(['press_enter', 'press_enter']);
    expect(keys([...late, ...times(40, ours), atWork])).toEqual(['press_enter', 'press_enter']);
    expect(ends([...late, ...times(40, ours), atWork])).toMatchObject({ delivery: 'confirmed' });
  });

  test('that is put back into the composer is not entered once more: the agent has had it', () => {
    const putBack = [...times(3, ours), atWork, ...times(20, ours)];
    expect(keys(putBack).slice(0, 2)).toEqual(['press_enter', 'clear']);
    expect(ends([...times(3, ours), atWork, ours, ours, {}])).toMatchObject({
      delivery: 'unconfirmed',
      evidence: 'the text was put back into the composer',
    });
  });

  test('that the agent says it put back is known not to be taken, also where the screen never showed it leave', () => {
    const refused = { ...ours, refused: true };
    const putBack = [...times(3, ours), ours, refused, refused];
    expect(keys(putBack).slice(0, 2)).toEqual(['press_enter', 'clear']);
    expect(ends([...putBack, { refused: true, echoed: true }])).toMatchObject({
      delivery: 'failed',
      stranded: false,
      evidence: 'the text was put back into the composer',
    });
  });
});

test('whatever the terminal shows: it ends in time, no key reaches a dialog or other text, nothing is confirmed on hope', () => {
  const check = fc.record({
    lost: fc.option(fc.constant('the tool has ended'), { freq: 20 }),
    scrolled: fc.boolean(),
    dialog: fc.option(fc.constantFrom('permission', 'trust')),
    composer: fc.constantFrom<DeliveryCheck['composer']>('empty', 'ours', 'foreign', 'unknown'),
    working: fc.boolean(),
    echoed: fc.boolean(),
    refused: fc.boolean(),
    taken: fc.option(fc.constant('user row 7'), { freq: 10 }),
  });
  fc.assert(
    fc.property(fc.array(check, { minLength: 1, maxLength: 120 }), (checks) => {
      let submission = justPasted(0);
      let enters = 0;
      for (let look = 1; ; look += 1) {
        const seen: DeliveryCheck = { ...(checks[look - 1] ?? checks.at(-1) ?? quiet), at: look * every };
        const { next, submission: after } = decide(submission, seen, usualTimeouts);
        const safe = seen.composer === 'ours' && seen.dialog === null && !seen.scrolled;
        if (next.do === 'press_enter' || next.do === 'clear') {
          expect(safe).toBe(true);
          expect(seen.lost).toBeNull();
        }
        if (next.do === 'press_enter') enters += 1;
        expect(enters).toBeLessThanOrEqual(2);
        if (next.do === 'end') {
          const bySight = enters > 0 && (seen.working || seen.echoed) && seen.composer === 'empty';
          if (next.delivery === 'confirmed') expect(seen.taken !== null || bySight).toBe(true);
          else expect(seen.taken).toBeNull();
          if (next.delivery === 'failed' && !next.stranded) expect(seen.composer).toBe('empty');
          if (next.delivery === 'unconfirmed') expect(enters).toBeGreaterThan(0);
          expect(seen.at).toBeLessThanOrEqual(usualTimeouts.whole + every);
          return;
        }
        expect(seen.taken).toBeNull();
        submission = after;
      }
    }),
    { numRuns: 500 },
  );
});
