import type { TerminalState } from './terminal-state.js';

/** The reason while the screen still changes. */
export const unstable = 'stability.stable=false';

/**
 * Why a prompt must not be typed into the terminal now, such as `turn.phase='active'`; none when it may. What is not known
 * counts as a reason.
 */
export function readinessReasons(state: TerminalState): string[] {
  const { diagnostics, surface, parsed } = state;
  const wanted: readonly (readonly [name: string, value: string, wanted: string])[] = [
    ['diagnostics.availability', diagnostics.availability, 'available'],
    ['blocked', state.dialog?.kind ?? 'no', 'no'],
    ['surface.pending_input', surface.pendingInput, 'no'],
    ['turn.phase', state.phase, 'ready'],
    ['surface.accepting_input', surface.acceptingInput, 'yes'],
    ['surface.editing_input', surface.editingInput, 'no'],
    ['surface.ready_posture', surface.readyPosture, 'yes'],
  ];
  const screen: typeof wanted = parsed
    ? [
        ['parsed_surface.business_state', parsed.businessState, 'idle'],
        ['parsed_surface.input_mode', parsed.inputMode, 'freeform'],
      ]
    : [];
  return [...unmet(wanted), ...(state.stability.stable ? [] : [unstable]), ...unmet(screen)];
}

const unmet = (items: readonly (readonly [name: string, value: string, wanted: string])[]): string[] =>
  items.filter(([, value, wanted]) => value !== wanted).map(([name, value]) => `${name}='${value}'`);
