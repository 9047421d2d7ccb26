import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { screenFactsOf } from '../../../../src/terminal/tracker/sight.js';
import {
  initialTurnState,
  reduceTurn,
  type TurnEvent,
  type TurnState,
} from '../../../../src/terminal/tracker/turn-reducer.js';
import { anyFrame } from '../../../support/terminal/any-frame.js';

const settle = 1000;
type Step = { at: number; event: Exclude<TurnEvent, { kind: 'time' }> };

const anyEvent: fc.Arbitrary<Step['event']> = fc.oneof(
  {
    weight: 8,
    arbitrary: anyFrame.map((signals) => ({ kind: 'frame' as const, at: 0, sight: screenFactsOf(signals) })),
  },
  fc.constantFrom('fix it', '').map((prompt) => ({ kind: 'submitted' as const, prompt })),
  fc.constant({ kind: 'interrupt' as const }),
  fc.boolean().map((gone) => ({ kind: 'unavailable' as const, gone })),
);
const anySteps: fc.Arbitrary<Step[]> = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 1500 }), anyEvent), { maxLength: 30 })
  .map((given) => {
    let at = 0;
    return given.map(([pause, event]) => {
      at += pause;
      return { at, event };
    });
  });

/** Time first, then the event; `seen` gets each of the two with the state before it. */
function run(steps: readonly Step[], seen: (before: TurnState, event: TurnEvent, after: TurnState) => void) {
  const tell = (state: TurnState, event: TurnEvent) => {
    const next = reduceTurn(state, event, settle);
    seen(state, event, next);
    return next;
  };
  let state = initialTurnState;
  for (const { at, event } of steps) {
    state = tell(state, { kind: 'time', at });
    state = tell(state, event.kind === 'frame' ? { ...event, at } : event);
  }
  return state;
}

const sameTurn = (a: TurnState, b: TurnState) =>
  a.lastTurn.result === b.lastTurn.result && a.lastTurn.source === b.lastTurn.source;

describe('turns of a terminal', () => {
  it('are never ready while a dialog is up, the agent works or nothing can be observed', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        run(steps, (_before, event, { phase, surface }) => {
          if (event.kind === 'unavailable')
            expect([phase, surface.readyPosture]).toEqual(['unknown', 'unknown']);
          if (event.kind !== 'frame') return;
          if (event.sight.dialog || event.sight.active) {
            expect(phase).not.toBe('ready');
            expect(surface.readyPosture).not.toBe('yes');
          }
          if (event.sight.dialog) expect(surface.acceptingInput).toBe('no');
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('are never unknown on a screen that is ready', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        run(steps, (_before, event, { phase, surface }) => {
          if (event.kind === 'frame' && surface.readyPosture === 'yes') expect(phase).not.toBe('unknown');
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('end only for a reason', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        run(steps, (before, event, after) => {
          if (sameTurn(before, after)) return;
          expect(reasonsFor(before, event)).toContain(after.lastTurn.result);
        });
      }),
      { numRuns: 2000 },
    );
  });

  it('have a source exactly when they have an end', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        run(steps, (_before, _event, { lastTurn }) =>
          expect(lastTurn.source === 'none').toBe(lastTurn.result === 'none'),
        );
      }),
    );
  });

  it('are the same however often an equal frame is seen', () => {
    fc.assert(
      fc.property(anySteps, fc.array(fc.integer({ min: 1, max: 4 })), (steps, copies) => {
        const batched = steps.flatMap((step, index) => repeated(step, steps[index + 1], copies[index] ?? 1));
        expect(publicPart(run(batched, () => {}))).toEqual(publicPart(run(steps, () => {})));
      }),
      { numRuns: 5000 },
    );
  });
});

/** Results that this event may give. */
function reasonsFor(before: TurnState, event: TurnEvent): string[] {
  if (event.kind === 'submitted') return ['none'];
  if (event.kind === 'time') return before.settling && event.at >= before.settling.until ? ['success'] : [];
  if (event.kind !== 'frame') return [];
  const { sight } = event;
  const results: string[] = sight.ended ? [sight.ended] : [];
  const ours = sight.draft?.replace(/\s/g, '') === before.submitted;
  if (before.interrupting && ours && !sight.active) results.push('interrupted');
  const isTakenBack = before.lastTurn.result === 'success' && sight.signature !== before.settled;
  if (sight.active || sight.draft !== null || (sight.candidate && isTakenBack)) results.push('none');
  return results;
}

/** The same frame several times, until the next event. */
function repeated(step: Step, next: Step | undefined, copies: number): Step[] {
  if (step.event.kind !== 'frame' || next === undefined) return [step];
  const pause = (next.at - step.at) / copies;
  return Array.from({ length: copies }, (_, index) => ({ ...step, at: step.at + index * pause }));
}

const publicPart = ({ surface, phase, lastTurn }: TurnState) => ({ surface, phase, lastTurn });
