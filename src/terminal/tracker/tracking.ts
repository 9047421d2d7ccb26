import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import { type Diagnostics, notObserved, type ProbeSnapshot } from './observation.js';
import type { ParsedSurface } from './parsed-surface.js';
import { nextRecoveries, noRecoveries, type Recoveries } from './recoveries.js';
import { afterSight, dialogSight, type NotedAnswer, renewed } from './shown-dialog.js';
import { noTurn, screenFactsOf, unknownInput } from './sight.js';
import {
  isStalled,
  type Moment,
  type NotUnderstoodSince,
  notStable,
  notUnderstoodSince,
  type StabilityWatch,
  stabilityOf,
  watchStability,
} from './stability.js';
import {
  type ChatContextDiagnostic,
  type Observations,
  type TerminalState,
  withTransition,
} from './terminal-state.js';
import type { TrackerTimings } from './tracker-timings.js';
import { initialTurnState, reduceTurn, type TurnEvent, type TurnState } from './turn-reducer.js';

type Chat = Pick<Observations, 'chatContext' | 'chatContextDiagnostic'>;
const unknownChat: Chat = { chatContext: 'unknown', chatContextDiagnostic: null };

/** Everything that is known of a terminal. */
export interface Tracking {
  turn: TurnState;
  recoveries: Recoveries;
  stability: StabilityWatch | null;
  notUnderstood: NotUnderstoodSince;
  chat: Chat;
  /** The latest observation; a noted prompt does not change it. */
  observation: Observation;
  state: TerminalState;
}

/** The result of one observation of the terminal. */
export interface Observation {
  diagnostics: Diagnostics;
  probe: ProbeSnapshot | null;
  /** Both null if no screen was read. */
  signals: FrameSignals | null;
  parsed: ParsedSurface | null;
}

export interface TrackingConfig {
  tool: string;
  timings: TrackerTimings;
}

/** Returns the state before the first observation. */
export function initialTracking(since: Date): Tracking {
  return {
    turn: initialTurnState,
    recoveries: noRecoveries,
    stability: null,
    notUnderstood: null,
    chat: unknownChat,
    observation: { diagnostics: notObserved, probe: null, signals: null, parsed: null },
    state: {
      recordedAt: since,
      diagnostics: notObserved,
      probe: null,
      parsed: null,
      surface: unknownInput,
      phase: 'unknown',
      lastTurn: { ...noTurn, updatedAt: null },
      chatContext: 'unknown',
      chatContextDiagnostic: null,
      stability: notStable(since),
      transitions: [],
      dialog: null,
      answered: null,
      awaited: null,
      recovered: null,
      stalled: false,
    },
  };
}

/** Returns the state after an observation. */
export function afterObservation(
  previous: Tracking,
  observation: Observation,
  now: Moment,
  config: TrackingConfig,
): Tracking {
  const { diagnostics, signals } = observation;
  const available = diagnostics.availability === 'available' && signals !== null;
  const gone = diagnostics.availability === 'unavailable' || diagnostics.availability === 'tui_down';
  const seen: TurnEvent = available
    ? { kind: 'frame', at: now.at, sight: screenFactsOf(signals, observation.parsed?.text.conversation) }
    : { kind: 'unavailable', gone };
  const turn = reduced(reduced(previous.turn, { kind: 'time', at: now.at }, config), seen, config);
  const recoveries = available
    ? nextRecoveries(
        previous.recoveries,
        { at: now.at, signals, sight: screenFactsOf(signals, observation.parsed?.text.conversation), turn },
        config.timings,
      )
    : noRecoveries;
  const read = signals === null ? 'no_screen' : available ? 'understood' : 'not_understood';
  const notUnderstood = notUnderstoodSince(previous.notUnderstood, read, now.at);
  const chat = gone ? unknownChat : (chatContextOf(signals, config.tool) ?? previous.chat);
  return published(previous, { turn, recoveries, notUnderstood, chat, observation }, now, config);
}

/** Returns the state after a submitted prompt, or an interrupt of ours: nothing was observed. */
export function afterNote(
  previous: Tracking,
  event: Extract<TurnEvent, { kind: 'submitted' | 'interrupt' }>,
  now: Moment,
  config: TrackingConfig,
): Tracking {
  const { notUnderstood, chat, observation } = previous;
  const turn = reduced(previous.turn, event, config);
  const recoveries = event.kind === 'submitted' ? noRecoveries : previous.recoveries;
  return published(previous, { turn, recoveries, notUnderstood, chat, observation }, now, config);
}

/** Returns the state before we press the key that answers a question. */
export const afterAnswer = (previous: Tracking, answered: NotedAnswer): Tracking => ({
  ...previous,
  state: { ...previous.state, answered },
});

/** Returns the state after the question on the screen was answered and is still there: it counts as another one from now on. */
export function afterIneffectiveAnswer(previous: Tracking, now: Moment): Tracking {
  const { dialog } = previous.state;
  if (dialog === null) return previous;
  return { ...previous, state: { ...previous.state, dialog: renewed(dialog, now.date) } };
}

/** Returns the state after the reader of the screens was replaced: results of the earlier one no longer count. */
export function afterNewReader(previous: Tracking, now: Moment, config: TrackingConfig): Tracking {
  const fresh = {
    turn: initialTurnState,
    recoveries: noRecoveries,
    notUnderstood: null,
    chat: unknownChat,
  };
  return published(
    previous,
    { ...fresh, observation: { ...previous.observation, signals: null, parsed: null } },
    now,
    config,
  );
}

const reduced = (turn: TurnState, event: TurnEvent, { timings }: TrackingConfig): TurnState =>
  reduceTurn(turn, event, timings.completionStabilitySeconds * 1000);

type Parts = Omit<Tracking, 'state' | 'stability'>;

function published(previous: Tracking, parts: Parts, now: Moment, config: TrackingConfig): Tracking {
  const { turn, recoveries, observation } = parts;
  const { timings } = config;
  const observations = observed(previous.state, parts, now);
  const stability = watchStability(previous.stability, observations, now);
  const snapshot = {
    ...observations,
    recordedAt: now.date,
    probe: observation.probe,
    stability: stabilityOf(stability, now, timings.stabilityThresholdSeconds),
  };
  const state: TerminalState = {
    ...snapshot,
    transitions: withTransition(previous.state.transitions, previous.state, snapshot),
    answered: previous.state.answered,
    dialog: afterSight(previous.state.dialog, dialogSight(observation.signals), now.date),
    awaited: turn.awaited && { authority: turn.awaited.authority, seen: turn.awaited.seen },
    recovered: recoveries.applied,
    stalled: isStalled(parts.notUnderstood, now.at, timings.unknownToStalledTimeoutSeconds),
  };
  return { ...parts, stability, state };
}

/** Derives the observations. A recovery makes the terminal ready in all of them; the turn itself stays as it was. */
function observed(before: TerminalState, parts: Parts, now: Moment): Observations {
  const { turn, recoveries, observation } = parts;
  const ready = recoveries.applied !== null;
  const { result, source } = turn.lastTurn;
  const sameEnd = before.lastTurn.result === result && before.lastTurn.source === source;
  return {
    diagnostics: observation.diagnostics,
    parsed:
      ready && observation.parsed ? { ...observation.parsed, businessState: 'idle' } : observation.parsed,
    surface: ready ? { ...turn.surface, readyPosture: 'yes' } : turn.surface,
    phase: ready ? 'ready' : turn.phase,
    lastTurn: {
      result,
      source,
      updatedAt: result === 'none' ? null : sameEnd ? before.lastTurn.updatedAt : now.date,
    },
    ...parts.chat,
  };
}

/** Returns null if the screen does not show it. */
function chatContextOf(signals: FrameSignals | null, tool: string): Chat | null {
  if (signals === null || signals.chatContext.state === 'unknown') return null;
  const { detector } = signals;
  const { state, diagnostic } = signals.chatContext;
  const known: ChatContextDiagnostic | null = diagnostic && {
    toolName: tool,
    detectorName: detector.name,
    detectorVersion: detector.version,
    degradedErrorType: diagnostic.degradedErrorType,
    messagePreview: diagnostic.messagePreview,
  };
  return { chatContext: state, chatContextDiagnostic: known };
}
