import type { ChatContext } from '../../tools/screen/frame-signals.js';
import type { Diagnostics, ProbeSnapshot } from './observation.js';
import type { ParsedSurface } from './parsed-surface.js';
import type { Recovered } from './recoveries.js';
import type { NotedAnswer, ShownDialog } from './shown-dialog.js';
import type { Authority, LastTurn, Phase, SeenOfTurn, Surface } from './sight.js';

/** The terminal as it was last observed. What follows `transitions` is for the gateway itself. */
export interface TerminalState extends TerminalSnapshot {
  /** The latest changes, the oldest first. */
  transitions: readonly Transition[];
  /** The dialog that is up. */
  dialog: ShownDialog | null;
  /** The latest answer of ours to a dialog; null before the first. */
  answered: NotedAnswer | null;
  /** What was seen so far of the turn whose end is waited for; null when none is. */
  awaited: { authority: Authority; seen: SeenOfTurn } | null;
  /** Why the terminal counts as ready although its screen shows work; null when no recovery was needed. */
  recovered: Recovered | null;
  /** Whether the screen was not understood for longer than `unknownToStalledTimeoutSeconds`. */
  stalled: boolean;
}

/** What is known of a conversation that the tool could not compact. */
export interface ChatContextDiagnostic {
  toolName: string;
  detectorName: string;
  detectorVersion: string;
  degradedErrorType: string;
  messagePreview: string | null;
}

/** How long the observations have been the same. */
export interface Stability {
  /** SHA-1 of the observations in hexadecimal; empty before the first. */
  signature: string;
  stable: boolean;
  stableForSeconds: number;
  stableSince: Date;
}

/** What has to stay the same. */
export interface Observations {
  diagnostics: Diagnostics;
  /** Null when the screen could not be read. */
  parsed: ParsedSurface | null;
  surface: Surface;
  phase: Phase;
  /** `updatedAt` is when result and source became what they are; null while there is none. */
  lastTurn: LastTurn & { updatedAt: Date | null };
  chatContext: ChatContext['state'];
  chatContextDiagnostic: ChatContextDiagnostic | null;
}

/** The terminal at one moment. */
export interface TerminalSnapshot extends Observations {
  recordedAt: Date;
  /** Null when there was no look at a pane. */
  probe: ProbeSnapshot | null;
  stability: Stability;
}

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
type WatchedField = keyof typeof watched;

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
