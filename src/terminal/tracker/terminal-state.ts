import type { ChatContext } from '../../tools/screen/frame-signals.js';
import type { Diagnostics, ProbeSnapshot } from './observation.js';
import type { ParsedSurface } from './parsed-surface.js';
import type { Recovered } from './recoveries.js';
import type { NotedAnswer, ShownDialog } from './shown-dialog.js';
import type { EndedTurn, InputSurface, Phase, SeenOfTurn, TurnSource } from './sight.js';

/** The terminal as it was last observed. The fields after `transitions` are only for the gateway itself. */
export interface TerminalState extends TerminalSnapshot {
  /** The latest changes, the oldest first. */
  transitions: readonly Transition[];
  /** The open dialog. */
  dialog: ShownDialog | null;
  /** Our latest answer to a dialog; null before the first. */
  answered: NotedAnswer | null;
  /** The signs so far of the turn whose end is awaited; null if there is none. */
  awaited: { authority: TurnSource; seen: SeenOfTurn } | null;
  /** The recovery by which the terminal counts as ready although its screen shows work; null if none was needed. */
  recovered: Recovered | null;
  /** Whether the screen was not understood for longer than `unknownToStalledTimeoutSeconds`. */
  stalled: boolean;
}

/** The known facts about a conversation that the tool could not compact. */
export interface ChatContextDiagnostic {
  toolName: string;
  detectorName: string;
  detectorVersion: string;
  degradedErrorType: string;
  messagePreview: string | null;
}

/** The time for which the observations have been the same. */
export interface Stability {
  /** SHA-1 of the observations in hexadecimal; empty before the first. */
  signature: string;
  stable: boolean;
  stableForSeconds: number;
  stableSince: Date;
}

/** The observations whose change ends stability. */
export interface Observations {
  diagnostics: Diagnostics;
  /** Null if the screen could not be read. */
  parsed: ParsedSurface | null;
  surface: InputSurface;
  phase: Phase;
  /** `updatedAt` is the time at which result and source last changed; null while there is no result. */
  lastTurn: EndedTurn & { updatedAt: Date | null };
  chatContext: ChatContext['state'];
  chatContextDiagnostic: ChatContextDiagnostic | null;
}

/** The terminal at one moment. */
export interface TerminalSnapshot extends Observations {
  recordedAt: Date;
  /** Null if no pane was observed. */
  probe: ProbeSnapshot | null;
  stability: Stability;
}

/** A change of the observations, with the values after it. */
export interface Transition {
  recordedAt: Date;
  /** A list of the changes, such as `turn_phase: 'ready' -> 'active'; last_turn_result: 'success' -> 'none'`. */
  summary: string;
  changedFields: readonly WatchedField[];
  availability: Diagnostics['availability'];
  phase: Phase;
  lastTurn: EndedTurn;
  transport: Diagnostics['transport'];
  process: Diagnostics['process'];
  parse: Diagnostics['parse'];
}

/** The fields in the order in which a summary lists them, with the names of the contract. */
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
type WatchedField = keyof typeof watched;

const kept = 24;

/** Adds the change from `before` to `after`, if there is one, to the transitions: the newest 24, the oldest first. */
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

/** The reason given while the screen still changes. */
export const unstable = 'stability.stable=false';

/**
 * Returns the reasons why a prompt must not be typed into the terminal now, such as `turn.phase='active'`; none if it may be. An
 * unknown value counts as a reason.
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
