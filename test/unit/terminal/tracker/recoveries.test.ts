import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextRecoveries, noRecoveries, type Recovered } from '../../../../src/terminal/tracker/recoveries.js';
import { screenFactsOf } from '../../../../src/terminal/tracker/sight.js';
import { initialTurnState, reduceTurn } from '../../../../src/terminal/tracker/turn-reducer.js';
import type { FrameSignals } from '../../../../src/tools/screen/frame-signals.js';
import { anyFrame } from '../../../support/terminal/any-frame.js';
import { frame, planted } from '../../../support/terminal/planted-frames.js';

const timings = { staleActiveRecoverySeconds: 5, finalStableActiveRecoverySeconds: 20 };

/** The recoveries that apply after each frame, at its second; `prompted` begins with a submitted prompt. */
function applied(frames: readonly (readonly [second: number, FrameSignals])[], prompted = false) {
  let turn = initialTurnState;
  if (prompted) turn = reduceTurn(turn, { kind: 'submitted', prompt: 'x' }, 1000);
  let recoveries = noRecoveries;
  return frames.map(([second, signals]): Recovered | null => {
    const at = second * 1000;
    const sight = screenFactsOf(signals);
    turn = reduceTurn(turn, { kind: 'frame', at, sight }, 1000);
    recoveries = nextRecoveries(recoveries, { at, signals, sight, turn }, timings);
    return recoveries.applied;
  });
}
const { statusRow, working } = planted;

describe('the stale-active recovery', () => {
  it('applies when only a status row says work for five seconds, and while it stays so', () => {
    const seconds = [0, 4.9, 5, 6, 30];
    expect(applied(seconds.map((second) => [second, statusRow()] as const))).toEqual([
      null,
      null,
      'stale_active',
      'stale_active',
      'stale_active',
    ]);
  });

  it('begins again with every other screen', () => {
    const frames = [
      [0, statusRow('1s')],
      [4, statusRow('5s')],
      [8, statusRow('9s')],
    ] as const;
    expect(applied([...frames, [13, statusRow('9s')]])).toEqual([null, null, null, 'stale_active']);
    expect(
      applied([
        [0, statusRow()],
        [4, planted.idle()],
        [5, statusRow()],
        [9, statusRow()],
      ])[3],
    ).toBeNull();
  });

  it('does not apply with another sign of work, a draft, no composer, a menu or a prompt of ours', () => {
    const doubts: FrameSignals[] = [
      working(),
      frame({ ...statusRow(), activeReasons: ['status_row', 'tool_cell'] }),
      frame({ ...statusRow(), editingInput: 'yes' }),
      frame({ ...statusRow(), editingInput: 'unknown' }),
      frame({ ...statusRow(), promptVisible: false }),
      frame({ ...statusRow(), acceptingInput: 'unknown' }),
      frame({ ...statusRow(), overlay: 'slash_command' }),
    ];
    for (const signals of doubts)
      expect(
        applied([
          [0, signals],
          [6, signals],
        ])[1],
      ).toBeNull();
    expect(
      applied(
        [
          [0, statusRow()],
          [6, statusRow()],
        ],
        true,
      )[1],
    ).toBeNull();
  });
});

describe('the final stable-active recovery', () => {
  it('applies when the text is the same for twenty seconds, whatever says work', () => {
    const seconds = [0, 19.9, 20, 60];
    expect(
      applied(
        seconds.map((second) => [second, working()] as const),
        true,
      ),
    ).toEqual([null, null, 'final_stable_active', 'final_stable_active']);
    const reasons = ['tool_cell', 'thinking_line'].map((reason) => [reason]);
    const frames = reasons.map((activeReasons, index) => [index * 20, frame({ activeReasons })] as const);
    expect(applied(frames)[1]).toBe('final_stable_active');
  });

  it('begins again with every other text', () => {
    expect(
      applied([
        [0, working()],
        [15, working('b')],
        [34, working('b')],
      ])[2],
    ).toBeNull();
    expect(
      applied([
        [0, working()],
        [15, working('b')],
        [35, working('b')],
        [36, working('c')],
      ]),
    ).toEqual([null, null, 'final_stable_active', null]);
  });

  it('does not count the time in which the other one applied', () => {
    const frames = [0, 6].map((second) => [second, statusRow('a')] as const);
    expect(applied([...frames, [21, working('a')]])).toEqual([null, 'stale_active', null]);
  });

  it('never applies under a dialog, which may stay up for hours', () => {
    const asking = frame({ ...planted.dialog(), activeReasons: ['tool_cell'] });
    expect(
      applied([
        [0, asking],
        [3600, asking],
      ]),
    ).toEqual([null, null]);
    expect(
      applied([
        [0, working('a')],
        [10, frame({ ...asking, surfaceSignature: 'a' })],
        [20, working('a')],
      ])[2],
    ).toBeNull();
  });
});

describe('recoveries', () => {
  it('apply only to work without a dialog, and never sooner than their time', () => {
    const frames = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), anyFrame), { maxLength: 20 });
    fc.assert(
      fc.property(frames, (given) => {
        let second = 0;
        const timed = given.map(([pause, signals]) => {
          second += pause;
          return [second, signals] as const;
        });
        applied(timed).forEach((recovered, index) => {
          if (recovered === null) return;
          const [now, signals] = timed[index]!;
          expect(screenFactsOf(signals)).toMatchObject({ active: true, dialog: false });
          const needed = recovered === 'stale_active' ? 5 : 20;
          const same = timed
            .slice(0, index + 1)
            .findLastIndex(([, other]) => other.surfaceSignature !== signals.surfaceSignature);
          expect(now - timed[same + 1]![0]).toBeGreaterThanOrEqual(needed);
        });
      }),
      { numRuns: 1000 },
    );
  });
});
