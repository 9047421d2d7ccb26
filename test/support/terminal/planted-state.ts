import type { TerminalState } from '../../../src/terminal/tracker/terminal-state.js';
import { TerminalTracker } from '../../../src/terminal/tracker/terminal-tracker.js';
import { trackerTimings } from '../../../src/terminal/tracker/tracker-timings.js';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';
import { VirtualClock } from '../virtual-clock.js';
import { captured, plantedRows, plantedScreens } from './planted-screens.js';

/** @param detect what is seen in every frame, in place of what the screens say. */
export function plantedTracker(start = '2026-03-31T00:00:00Z', detect?: () => FrameSignals) {
  const clock = new VirtualClock(start);
  const tracker = new TerminalTracker({
    tool: 'toy',
    screens: detect ? { ...plantedScreens, profileFor: () => ({ version: '1.x', detect }) } : plantedScreens,
    version: '1.2.3',
    timings: trackerTimings(),
    clock,
    rowsOf: plantedRows,
  });
  /** A look at such a screen, and then time that passes. */
  const see = (text: string, milliseconds = 500): TerminalState => {
    const state = tracker.observe(captured(text));
    clock.pass(milliseconds);
    return state;
  };
  return { clock, tracker, see };
}

/** An idle terminal that has been the same for two seconds. */
export function idleState(): TerminalState {
  const { see } = plantedTracker();
  see('idle', 2000);
  return see('idle');
}
