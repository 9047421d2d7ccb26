import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PollOutcome } from '../../../../src/terminal/tracker/observation.js';
import { readinessReasons, type TerminalState } from '../../../../src/terminal/tracker/terminal-state.js';
import { captured, plantedWords, toolDown } from '../../../support/terminal/planted-screens.js';
import { plantedTracker } from '../../../support/terminal/planted-state.js';

type Input =
  | PollOutcome
  | { kind: 'note'; prompt: string }
  | { kind: 'interrupt' }
  | { kind: 'version'; version: string };
interface Recorded {
  pause: number;
  input: Input;
}

const screens = [...plantedWords, 'done\nother', 'draft:fix it', 'draft:other', 'broken'];
const anyInput: fc.Arbitrary<Input> = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...screens).map(captured) },
  fc.constantFrom<Input>(
    toolDown,
    { kind: 'session_missing' },
    { kind: 'probe_failed', step: 'capture', message: 'no answer' },
    { kind: 'note', prompt: 'fix it' },
    { kind: 'interrupt' },
    { kind: 'version', version: '2.0' },
  ),
);
const recording = fc.array(fc.record({ pause: fc.integer({ min: 1, max: 30_000 }), input: anyInput }), {
  maxLength: 40,
});

function play(inputs: readonly Recorded[]) {
  const { tracker, clock } = plantedTracker();
  const states: TerminalState[] = [];
  for (const { pause, input } of inputs) {
    if (input.kind === 'note') tracker.notePrompt(input.prompt);
    else if (input.kind === 'interrupt') tracker.noteInterrupt();
    else if (input.kind === 'version') tracker.useVersion(input.version);
    else tracker.observe(input);
    states.push(tracker.state);
    clock.pass(pause);
  }
  return { tracker, states };
}

describe('any recording of a terminal', () => {
  it('gives the same states again', () => {
    fc.assert(
      fc.property(recording, (inputs) => {
        const [first, second] = [play(inputs), play(inputs)];
        expect(second.states).toEqual(first.states);
        expect(second.tracker.history(0)).toEqual(first.tracker.history(0));
      }),
      { numRuns: 100 },
    );
  });

  it('is never ready while a dialog is up or the terminal is not available', () => {
    fc.assert(
      fc.property(recording, (inputs) => {
        for (const [index, state] of play(inputs).states.entries()) {
          const { availability } = state.diagnostics;
          const isNote = inputs[index]?.input.kind === 'note';
          if (availability !== 'available' || state.dialog) {
            expect(state.surface.readyPosture).not.toBe('yes');
            expect(state.phase).not.toBe('ready');
            expect(readinessReasons(state)).not.toEqual([]);
          }
          if (availability !== 'available' && !isNote) {
            expect(state.surface).toMatchObject({ acceptingInput: 'unknown', editingInput: 'unknown' });
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('is ready for a prompt only on an idle screen without a draft', () => {
    fc.assert(
      fc.property(recording, (inputs) => {
        play(inputs).states.forEach((state, index) => {
          if (readinessReasons(state).length > 0) return;
          const input = inputs.slice(0, index + 1).findLast((each) => 'text' in each.input)?.input;
          const word = input && 'text' in input ? input.text.split('\n')[0] : '';
          const idle = ['idle', 'done', 'interrupted', 'failed'];
          const recovered = ['status row', 'working'];
          expect(state.recovered === null ? idle : recovered).toContain(word);
        });
      }),
      { numRuns: 1000 },
    );
  });

  it('has a bounded history whose last entry is the state', () => {
    fc.assert(
      fc.property(recording, (inputs) => {
        const { tracker, states } = play(inputs);
        expect(tracker.state.transitions.length).toBeLessThanOrEqual(24);
        const [last] = tracker.history(1);
        if (last) expect(states.at(-1)).toMatchObject(last);
      }),
    );
  });
});
