import { expect, test } from 'vitest';
import { typingObstacle } from '../../../../src/agent/local-terminal/prompt-readiness.js';
import type { TerminalState } from '../../../../src/terminal/tracker/terminal-state.js';
import { planted } from '../../../support/terminal/planted-frames.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const idle = { state: idleState(), signals: planted.idle() };
const plain = { forced: false, text: 'fix it' };
const forced = { ...plain, forced: true };
const said = (state: 'idle' | 'busy' | 'waiting') => ({ state, waitingFor: null, since: 0 });
const being = (availability: TerminalState['diagnostics']['availability']) => ({
  signals: null,
  state: { ...idle.state, diagnostics: { ...idle.state.diagnostics, availability } },
});

test('nothing keeps a prompt from an idle terminal', () => {
  expect(typingObstacle(plain, idle, said('idle'), 0)).toBeNull();
  expect(typingObstacle(forced, idle, null, 0)).toBeNull();
});

test('a plain prompt waits for all reasons, a forced one for an empty composer alone', () => {
  const active = { ...idle, state: { ...idle.state, phase: 'active' as const } };
  expect(typingObstacle(plain, active, null, 0)).toEqual({
    detail: "the TUI is not submit-ready (turn.phase='active')",
    redraws: false,
  });
  expect(typingObstacle(forced, active, said('busy'), 0)).toBeNull();
  const drafted = { ...idle, signals: planted.draft('mine') };
  expect(typingObstacle(forced, drafted, null, 0)).toEqual({
    detail: 'the composer is not empty, or is not on the screen',
    redraws: false,
  });
});

test('a screen that changes is one that redraws only where nothing else is in the way', () => {
  const changing = { ...idle.state, stability: { ...idle.state.stability, stable: false } };
  const redraws = (state: TerminalState) => typingObstacle(plain, { ...idle, state }, null, 0)?.redraws;
  expect(redraws(changing)).toBe(true);
  expect(redraws({ ...changing, phase: 'active' })).toBe(false);
  expect(typingObstacle(plain, { ...idle, state: changing }, said('busy'), 0)?.redraws).toBe(false);
});

test.each([{ ...idle, signals: planted.dialog() }, idle])(
  'a dialog is for a person, drawn or not yet',
  (looked) => {
    expect(typingObstacle(forced, looked, said('waiting'), 0)?.detail).toMatch(/to answer a dialog$/);
  },
);

test.each([
  ['unavailable', 'its tmux session is gone'],
  ['tui_down', 'the tool has ended, start it again there'],
  ['error', 'it cannot be read'],
  ['unknown', 'its screen was not recognised'],
] as const)('a terminal that is %s is described, as the end of a sentence', (availability, words) => {
  expect(typingObstacle(forced, being(availability), null, 0)?.detail).toBe(
    `the terminal cannot be typed into: ${words}`,
  );
});
