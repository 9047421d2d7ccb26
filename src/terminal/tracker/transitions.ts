import type { Diagnostics } from './diagnostics.js';
import type { TerminalSnapshot } from './terminal-snapshot.js';
import type { LastTurn, Phase } from './turn-shapes.js';

/** A change of what was observed, with everything as it was then. */
export interface Transition {
  recordedAt: Date;
  /** Such as `turn_phase: 'ready' -> 'active'; last_turn_result: 'success' -> 'none'`. */
  summary: string;
  changedFields: readonly WatchedField[];
  availability: Diagnostics['availability'];
  phase: Phase;
  lastTurn: LastTurn;
  transport: Diagnostics['transport'];
  process: Diagnostics['process'];
  parse: Diagnostics['parse'];
}

/** In the order in which a summary lists them, with the names of the contract. */
const watched = {
  diagnostics_availability: ({ diagnostics }) => diagnostics.availability,
  transport_state: ({ diagnostics }) => diagnostics.transport,
  process_state: ({ diagnostics }) => diagnostics.process,
  parse_status: ({ diagnostics }) => diagnostics.parse,
  surface_accepting_input: ({ surface }) => surface.acceptingInput,
  surface_editing_input: ({ surface }) => surface.editingInput,
  surface_ready_posture: ({ surface }) => surface.readyPosture,
  turn_phase: ({ phase }) => phase,
  last_turn_result: ({ lastTurn }) => lastTurn.result,
  last_turn_source: ({ lastTurn }) => lastTurn.source,
  chat_context: ({ chatContext }) => chatContext,
  chat_context_diagnostic: ({ chatContextDiagnostic }) => chatContextDiagnostic?.degradedErrorType ?? null,
  probe_error: ({ diagnostics }) => diagnostics.probeError?.message ?? null,
  parse_error: ({ diagnostics }) => diagnostics.parseError?.message ?? null,
  surface_business_state: ({ parsed }) => parsed?.businessState ?? null,
  surface_input_mode: ({ parsed }) => parsed?.inputMode ?? null,
  surface_ui_context: ({ parsed }) => parsed?.uiContext ?? null,
} as const satisfies Record<string, (snapshot: TerminalSnapshot) => string | null>;
export type WatchedField = keyof typeof watched;

const kept = 24;

/** The transitions, with the change from `before` to `after` if there is one: the newest 24, the oldest first. */
export function withTransition(
  transitions: readonly Transition[],
  before: TerminalSnapshot,
  after: TerminalSnapshot,
): readonly Transition[] {
  const transition = transitionBetween(before, after);
  return transition ? [...transitions, transition].slice(-kept) : transitions;
}

function transitionBetween(before: TerminalSnapshot, after: TerminalSnapshot): Transition | null {
  const changes = (Object.keys(watched) as WatchedField[])
    .map((field) => ({ field, from: watched[field](before), to: watched[field](after) }))
    .filter(({ from, to }) => from !== to);
  if (changes.length === 0) return null;
  const { diagnostics, lastTurn } = after;
  return {
    recordedAt: after.recordedAt,
    summary: changes.map(({ field, from, to }) => `${field}: ${inWords(from)} -> ${inWords(to)}`).join('; '),
    changedFields: changes.map(({ field }) => field),
    availability: diagnostics.availability,
    phase: after.phase,
    lastTurn: { result: lastTurn.result, source: lastTurn.source },
    transport: diagnostics.transport,
    process: diagnostics.process,
    parse: diagnostics.parse,
  };
}

const inWords = (value: string | null): string => (value === null ? 'null' : `'${value}'`);
