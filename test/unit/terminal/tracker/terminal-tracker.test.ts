import { describe, expect, it } from 'vitest';
import { readinessReasons } from '../../../../src/terminal/tracker/terminal-state.js';
import { TerminalTracker } from '../../../../src/terminal/tracker/terminal-tracker.js';
import { trackerTimings } from '../../../../src/terminal/tracker/tracker-timings.js';
import { captured, plantedRows, toolDown } from '../../../support/terminal/planted-screens.js';
import { plantedTracker } from '../../../support/terminal/planted-state.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

describe('a tracked terminal', () => {
  it('is unknown before the first look', () => {
    const { tracker, clock } = plantedTracker();
    expect(tracker.state).toMatchObject({
      diagnostics: { availability: 'unknown', transport: 'tmux_missing' },
      probe: null,
      parsed: null,
      phase: 'unknown',
      lastTurn: { result: 'none', source: 'none', updatedAt: null },
      stability: { signature: '', stable: false, stableForSeconds: 0, stableSince: clock.now() },
      transitions: [],
    });
    expect(tracker.history(0)).toEqual([]);
    expect(readinessReasons(tracker.state)).not.toEqual([]);
  });

  it('is ready for a prompt once it has been idle for a second', () => {
    const { see } = plantedTracker();
    const reasons = [see('idle'), see('idle'), see('idle')].map(readinessReasons);
    expect(reasons).toEqual([['stability.stable=false'], ['stability.stable=false'], []]);
  });

  it('keeps what the look at the pane found', () => {
    const { see, clock } = plantedTracker();
    const observedAt = clock.now();
    expect(see('idle').probe).toMatchObject({
      observedAt,
      paneId: '%3',
      panePid: 42,
      processNames: ['toy'],
      captured: { length: 4, excerpt: 'idle' },
    });
  });

  it('follows a turn from its prompt to its success', () => {
    const { tracker, clock, see } = plantedTracker();
    see('idle');
    expect(tracker.notePrompt('fix it')).toMatchObject({
      phase: 'active',
      awaited: { authority: 'explicit_input', seen: 'nothing' },
    });
    expect(see('idle')).toMatchObject({ awaited: { seen: 'nothing' } });
    expect(see('working')).toMatchObject({ phase: 'active', awaited: { seen: 'work' } });
    see('done');
    expect(see('done')).toMatchObject({ phase: 'ready', lastTurn: { result: 'none', updatedAt: null } });
    const endedAt = clock.now();
    const success = { result: 'success', source: 'explicit_input', updatedAt: endedAt };
    expect(see('done')).toMatchObject({ lastTurn: success, awaited: null });
    expect(see('done').lastTurn).toEqual(success);
    expect(tracker.state.transitions.at(-1)?.summary).toBe(
      "last_turn_result: 'none' -> 'success'; last_turn_source: 'none' -> 'explicit_input'",
    );
  });

  it('is interrupted when our interrupt brings the prompt back', () => {
    const { tracker, see } = plantedTracker();
    see('idle');
    tracker.notePrompt('fix it');
    see('working');
    tracker.noteInterrupt();
    expect(see('draft:fix it').lastTurn).toMatchObject({ result: 'interrupted', source: 'explicit_input' });
    expect(see('draft:fix it').lastTurn).toMatchObject({ result: 'interrupted', source: 'explicit_input' });
  });

  it('is blocked by a dialog, and by nothing when that is gone', () => {
    const { see } = plantedTracker();
    see('idle', 2000);
    const blocked = see('dialog', 3000);
    expect(blocked).toMatchObject({ dialog: { kind: 'permission' }, phase: 'unknown' });
    expect(readinessReasons(see('dialog'))).toContain("blocked='permission'");
    expect(see('idle')).toMatchObject({ dialog: null, phase: 'ready' });
  });

  it('is never ready after the tool has gone', () => {
    const { tracker, clock, see } = plantedTracker();
    see('idle', 2000);
    expect(readinessReasons(see('idle'))).toEqual([]);
    for (const outcome of [
      toolDown,
      { kind: 'session_missing' } as const,
      { kind: 'probe_failed', step: 'tmux', message: 'no answer' } as const,
    ]) {
      clock.pass(2000);
      expect(tracker.observe(outcome)).toMatchObject({
        phase: 'unknown',
        surface: { acceptingInput: 'unknown', readyPosture: 'unknown' },
        parsed: null,
        dialog: null,
      });
      const { availability } = tracker.state.diagnostics;
      expect(readinessReasons(tracker.state)[0]).toBe(`diagnostics.availability='${availability}'`);
    }
  });

  it('remembers its screens over a look that failed, and not over a tool that went away', () => {
    const { tracker, see } = plantedTracker();
    see('idle\nlonger');
    tracker.observe({ kind: 'probe_failed', step: 'capture', message: 'no answer' });
    expect(see('idle').parsed?.baselineInvalidated).toBe(true);
    tracker.observe(toolDown);
    expect(see('idle').parsed?.baselineInvalidated).toBe(false);
  });

  it('is available only with a screen that is understood', () => {
    const { see } = plantedTracker();
    expect(see('nothing')).toMatchObject({ diagnostics: { availability: 'unknown' }, phase: 'unknown' });
    expect(see('broken')).toMatchObject({
      diagnostics: { availability: 'error', parseError: { kind: 'parse_error' } },
      parsed: null,
      probe: { captured: { excerpt: 'broken' } },
    });
    expect(see('idle').diagnostics.availability).toBe('available');
  });

  it('is stalled when its screen is not understood for thirty seconds', () => {
    const { see } = plantedTracker();
    expect(see('nothing', 29_999).stalled).toBe(false);
    expect(see('nothing', 1).stalled).toBe(false);
    expect(see('nothing').stalled).toBe(true);
    expect(see('idle').stalled).toBe(false);
  });

  it('says nothing of a tool whose screens nobody reads', () => {
    const clock = new VirtualClock('2026-03-31T00:00:00Z');
    const timings = trackerTimings();
    const tracker = new TerminalTracker({
      tool: 'toy',
      screens: null,
      version: null,
      timings,
      clock,
      rowsOf: plantedRows,
    });
    tracker.useVersion('2.0');
    expect(tracker.observe(captured('idle'))).toMatchObject({
      diagnostics: { availability: 'unknown', process: 'unsupported_tool', parse: 'unsupported_tool' },
      parsed: null,
      probe: { captured: { excerpt: 'idle' } },
    });
  });
});

describe('a terminal that shows work for ever', () => {
  it('is ready when only an old status row says so, until the screen changes', () => {
    const { see } = plantedTracker();
    see('status row', 5000);
    const recovered = see('status row', 1000);
    expect(recovered).toMatchObject({
      recovered: 'stale_active',
      phase: 'ready',
      surface: { readyPosture: 'yes' },
      parsed: { businessState: 'idle' },
      lastTurn: { result: 'none' },
      awaited: { seen: 'work' },
    });
    expect(readinessReasons(see('status row'))).toEqual([]);
    expect(see('status row\nmore')).toMatchObject({ recovered: null, phase: 'active' });
  });

  it('is ready after twenty seconds of the same text, until a prompt is noted', () => {
    const { tracker, see } = plantedTracker();
    tracker.notePrompt('fix it');
    see('working', 20_000);
    expect(see('working')).toMatchObject({ recovered: 'final_stable_active', phase: 'ready' });
    expect(tracker.notePrompt('again')).toMatchObject({ recovered: null, phase: 'active' });
    expect(see('working')).toMatchObject({ recovered: null, phase: 'active' });
  });
});

describe('a tracker', () => {
  it('keeps a snapshot of every look and every note, also of equal ones', () => {
    const { tracker, clock, see } = plantedTracker();
    see('idle');
    see('idle');
    tracker.notePrompt('fix it');
    const entries = tracker.history(0);
    expect(entries.map(({ phase }) => phase)).toEqual(['ready', 'ready', 'active']);
    expect(entries.at(-1)?.recordedAt).toEqual(clock.now());
    expect(tracker.history(1)).toEqual(entries.slice(-1));
    expect(Object.keys(entries[0]!)).not.toContain('transitions');
  });

  it('begins again when another version is read otherwise, and goes on when it is not', () => {
    const { tracker, see } = plantedTracker();
    see('working');
    see('done', 1000);
    expect(see('done').lastTurn.result).toBe('success');
    tracker.useVersion('1.9');
    expect(tracker.state.lastTurn.result).toBe('success');
    tracker.useVersion('2.0');
    expect(tracker.state).toMatchObject({
      phase: 'unknown',
      surface: { readyPosture: 'unknown' },
      lastTurn: { result: 'none' },
      parsed: null,
      chatContext: 'unknown',
    });
    expect(see('done').parsed?.presetId).toBe('toy-2.x');
  });

  it('keeps the chat context while a screen does not say', () => {
    const { tracker, see } = plantedTracker();
    expect(see('idle').chatContext).toBe('current');
    expect(see('nothing').chatContext).toBe('current');
    expect(tracker.observe(toolDown).chatContext).toBe('unknown');
  });
});
