import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TerminalSnapshot } from '../../../../src/terminal/tracker/terminal-state.js';
import { type Transition, withTransition } from '../../../../src/terminal/tracker/terminal-state.js';
import { idleState } from '../../../support/terminal/planted-state.js';

const idle: TerminalSnapshot = idleState();
const fault = { kind: 'parse_error', message: 'broken', details: {} };
const chat = { toolName: 'toy', detectorName: 'toy', detectorVersion: '1', messagePreview: null };

describe('transitions', () => {
  it('are none where nothing that is watched changed', () => {
    const earlier: Transition[] = [];
    const later = {
      ...idle,
      recordedAt: new Date(0),
      probe: null,
      stability: { ...idle.stability, stable: false },
      surface: { ...idle.surface, pendingInput: 'yes' as const },
    };
    expect(withTransition(earlier, idle, later)).toBe(earlier);
  });

  it('say what changed from what to what, with everything as it is then', () => {
    const recordedAt = new Date('2026-03-31T00:00:13Z');
    const lastTurn = { result: 'none', source: 'none', updatedAt: null } as const;
    const before: TerminalSnapshot = {
      ...idle,
      lastTurn: { result: 'success', source: 'explicit_input', updatedAt: recordedAt },
    };
    expect(withTransition([], before, { ...idle, recordedAt, phase: 'active', lastTurn })).toEqual([
      {
        recordedAt,
        summary:
          "turn_phase: 'ready' -> 'active'; last_turn_result: 'success' -> 'none'; last_turn_source: 'explicit_input' -> 'none'",
        changedFields: ['turn_phase', 'last_turn_result', 'last_turn_source'],
        availability: 'available',
        phase: 'active',
        lastTurn: { result: 'none', source: 'none' },
        transport: 'tmux_up',
        process: 'tui_up',
        parse: 'parsed',
      },
    ]);
  });

  it.each<[string, Partial<TerminalSnapshot>]>([
    ['diagnostics_availability', { diagnostics: { ...idle.diagnostics, availability: 'unknown' } }],
    ['transport_state', { diagnostics: { ...idle.diagnostics, transport: 'probe_error' } }],
    ['process_state', { diagnostics: { ...idle.diagnostics, process: 'tui_down' } }],
    ['parse_status', { diagnostics: { ...idle.diagnostics, parse: 'parse_error' } }],
    ['surface_accepting_input', { surface: { ...idle.surface, acceptingInput: 'no' } }],
    ['surface_editing_input', { surface: { ...idle.surface, editingInput: 'yes' } }],
    ['surface_ready_posture', { surface: { ...idle.surface, readyPosture: 'no' } }],
    ['turn_phase', { phase: 'unknown' }],
    ['last_turn_result', { lastTurn: { ...idle.lastTurn, result: 'success' } }],
    ['last_turn_source', { lastTurn: { ...idle.lastTurn, source: 'explicit_input' } }],
    ['chat_context', { chatContext: 'degraded' }],
    ['chat_context_diagnostic', { chatContextDiagnostic: { ...chat, degradedErrorType: 'unknown' } }],
    ['probe_error', { diagnostics: { ...idle.diagnostics, probeError: fault } }],
    ['parse_error', { diagnostics: { ...idle.diagnostics, parseError: fault } }],
    ['surface_business_state', { parsed: { ...idle.parsed!, businessState: 'working' } }],
    ['surface_input_mode', { parsed: { ...idle.parsed!, inputMode: 'modal' } }],
    ['surface_ui_context', { parsed: { ...idle.parsed!, uiContext: 'slash_command' } }],
  ])('watch %s', (field, change) => {
    const [transition] = withTransition([], idle, { ...idle, ...change });
    expect(transition?.changedFields).toEqual([field]);
    expect(transition?.summary).toMatch(new RegExp(`^${field}: ('[a-z_]+'|null) -> '[a-z_]+'$`));
  });

  it('name what is missing', () => {
    const [transition] = withTransition([], idle, { ...idle, parsed: null });
    expect(transition?.summary).toBe(
      "surface_business_state: 'idle' -> null; surface_input_mode: 'freeform' -> null; surface_ui_context: 'normal_prompt' -> null",
    );
  });

  it('are the newest 24, the oldest first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 80 }), (count) => {
        let transitions: readonly Transition[] = [];
        let before = idle;
        for (let step = 1; step <= count; step += 1) {
          const after: TerminalSnapshot = {
            ...idle,
            recordedAt: new Date(step),
            phase: step % 2 === 1 ? 'active' : 'ready',
          };
          transitions = withTransition(transitions, before, after);
          before = after;
        }
        const kept = Math.min(count, 24);
        const numbers = Array.from({ length: kept }, (_, index) => count - kept + index + 1);
        expect(transitions.map(({ recordedAt }) => recordedAt.getTime())).toEqual(numbers);
      }),
    );
  });
});
