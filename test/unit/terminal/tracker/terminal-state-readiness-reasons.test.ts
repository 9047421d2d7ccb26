import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterSight } from '../../../../src/terminal/tracker/shown-dialog.js';
import type { TerminalState } from '../../../../src/terminal/tracker/terminal-state.js';
import { readinessReasons } from '../../../../src/terminal/tracker/terminal-state.js';
import { mayI } from '../../../support/terminal/planted-frames.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const shown = (kind: 'trust' | 'permission') => afterSight(null, mayI(kind), new Date(0));

const idle = idleState();

describe('reasons not to type a prompt', () => {
  it('are none in an idle, stable terminal', () => {
    expect(readinessReasons(idle)).toEqual([]);
  });

  it.each<[string, Partial<TerminalState>]>([
    ["diagnostics.availability='error'", { diagnostics: { ...idle.diagnostics, availability: 'error' } }],
    ["blocked='trust'", { dialog: shown('trust') }],
    ["surface.pending_input='yes'", { surface: { ...idle.surface, pendingInput: 'yes' } }],
    ["surface.pending_input='unknown'", { surface: { ...idle.surface, pendingInput: 'unknown' } }],
    ["turn.phase='active'", { phase: 'active' }],
    ["surface.accepting_input='unknown'", { surface: { ...idle.surface, acceptingInput: 'unknown' } }],
    ["surface.editing_input='unknown'", { surface: { ...idle.surface, editingInput: 'unknown' } }],
    ["surface.ready_posture='no'", { surface: { ...idle.surface, readyPosture: 'no' } }],
    ['stability.stable=false', { stability: { ...idle.stability, stable: false } }],
    ["parsed_surface.business_state='working'", { parsed: { ...idle.parsed!, businessState: 'working' } }],
    ["parsed_surface.input_mode='modal'", { parsed: { ...idle.parsed!, inputMode: 'modal' } }],
  ])('have %s', (reason, change) => {
    expect(readinessReasons({ ...idle, ...change })).toEqual([reason]);
  });

  it('stand in one order', () => {
    const worst: TerminalState = {
      ...idle,
      diagnostics: { ...idle.diagnostics, availability: 'unknown' },
      dialog: shown('permission'),
      surface: { acceptingInput: 'no', editingInput: 'yes', readyPosture: 'no', pendingInput: 'yes' },
      phase: 'unknown',
      stability: { ...idle.stability, stable: false },
      parsed: { ...idle.parsed!, businessState: 'awaiting_operator', inputMode: 'closed' },
    };
    expect(readinessReasons(worst)).toEqual([
      "diagnostics.availability='unknown'",
      "blocked='permission'",
      "surface.pending_input='yes'",
      "turn.phase='unknown'",
      "surface.accepting_input='no'",
      "surface.editing_input='yes'",
      "surface.ready_posture='no'",
      'stability.stable=false',
      "parsed_surface.business_state='awaiting_operator'",
      "parsed_surface.input_mode='closed'",
    ]);
  });

  it('leave the screen out where none was read, and never ask how the last turn ended', () => {
    const unread: TerminalState = {
      ...idle,
      parsed: null,
      diagnostics: { ...idle.diagnostics, availability: 'error' },
    };
    expect(readinessReasons(unread)).toEqual(["diagnostics.availability='error'"]);
    fc.assert(
      fc.property(
        fc.constantFrom('success', 'interrupted', 'known_failure', 'none'),
        fc.constantFrom('current', 'degraded', 'unknown'),
        (result, chatContext) => {
          const lastTurn = { ...idle.lastTurn, result } as TerminalState['lastTurn'];
          const state = { ...idle, lastTurn, chatContext } as TerminalState;
          expect(readinessReasons(state)).toEqual([]);
        },
      ),
    );
  });
});
