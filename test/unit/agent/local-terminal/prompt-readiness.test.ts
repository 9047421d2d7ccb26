import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  promptReadiness,
  settleMilliseconds,
} from '../../../../src/agent/local-terminal/prompt-readiness.js';
import { afterSight } from '../../../../src/terminal/tracker/shown-dialog.js';
import type { TerminalState } from '../../../../src/terminal/tracker/terminal-state.js';
import { mayI } from '../../../support/terminal/planted-frames.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const idle = idleState();
const active: TerminalState = { ...idle, phase: 'active' };
const stableFor = (stableForSeconds: number): TerminalState => ({
  ...idle,
  stability: { ...idle.stability, stable: true, stableForSeconds },
});
const now = 100_000;
const said = (state: 'idle' | 'busy' | 'waiting', since = now) => ({ state, waitingFor: null, since });

test('the screen alone decides where the agent says nothing of itself', () => {
  expect(promptReadiness(idle, null, now)).toEqual({ surface: 'ready', reasons: [] });
  expect(promptReadiness(active, null, now)).toEqual({
    surface: 'not_ready',
    reasons: ["turn.phase='active'"],
  });
});

test('both have to say ready', () => {
  expect(promptReadiness(idle, said('idle'), now).surface).toBe('ready');
  expect(promptReadiness(idle, said('busy'), now)).toEqual({
    surface: 'not_ready',
    reasons: ["self_report='busy'"],
  });
  expect(promptReadiness(active, said('waiting'), now).reasons).toEqual([
    "turn.phase='active'",
    "self_report='waiting'",
  ]);
});

test('an agent that waits for a person says for what, before its dialog is drawn', () => {
  const asked = (waitingFor: string | null, state = idle) =>
    promptReadiness(state, { ...said('waiting'), waitingFor }, now).reasons;
  expect(asked('permission prompt')).toEqual([
    "blocked='permission'",
    "self_report='waiting' (permission prompt)",
  ]);
  expect(asked('permission')).toContain("blocked='permission'");
  expect(asked('dialog open')).toEqual(["self_report='waiting' (dialog open)"]);
  expect(asked(null)).toEqual(["self_report='waiting'"]);
  expect(asked("permission to run `rm -rf '/'`")).toEqual(["self_report='waiting'"]);
  // The dialog that the screen shows by then is named once.
  expect(
    asked('permission prompt', { ...idle, dialog: afterSight(null, mayI('trust'), new Date(0)) }),
  ).toEqual(["blocked='trust'", "self_report='waiting' (permission prompt)"]);
});

test('a disagreement that lasts is unknown, and what each says is named', () => {
  const long = now - settleMilliseconds;
  const unknown = { surface: 'unknown', reasons: ["screen='ready'", "self_report='busy'"] };
  expect(promptReadiness(stableFor(60), said('busy', long), now)).toEqual(unknown);
  expect(promptReadiness(stableFor(60), said('busy', long + 1), now).surface).toBe('not_ready');
  expect(promptReadiness(stableFor(1), said('busy', long), now).surface).toBe('not_ready');
  // Where the screen says no as well, they agree.
  expect(promptReadiness(active, said('busy', long), now).surface).toBe('not_ready');
});

test('a terminal that cannot be observed is unknown', () => {
  const lost: TerminalState = {
    ...idle,
    diagnostics: { ...idle.diagnostics, availability: 'error' },
  };
  expect(promptReadiness(lost, said('idle'), now)).toMatchObject({ surface: 'unknown' });
});

test('it is ready exactly where there is no reason against it', () => {
  const states = fc.constantFrom(idle, active, stableFor(60));
  const words = fc.option(
    fc.record({
      state: fc.constantFrom('idle', 'busy', 'waiting'),
      waitingFor: fc.option(fc.string()),
      since: fc.nat(now),
    }),
  );
  fc.assert(
    fc.property(states, words, (state, word) => {
      const { surface, reasons } = promptReadiness(state, word, now);
      expect(surface === 'ready').toBe(reasons.length === 0);
      if (word && word.state !== 'idle') expect(surface).not.toBe('ready');
    }),
  );
});
