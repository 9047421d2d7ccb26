import {
  type EndedTurn,
  type InputSurface,
  noTurn,
  type Phase,
  type ScreenFacts,
  type SeenOfTurn,
  type TurnSource,
  unknownInput,
} from './sight.js';

// Turns as far as the screen shows them. Two values change, both by events:
//
// phase      unknown  nothing is known, a dialog is open, or the terminal cannot be observed
//            active   a prompt was submitted, or the screen shows work
//            ready    the composer waits for a prompt
//
// last turn  none         no turn is known to have ended since a prompt was submitted, work was seen or a new draft was typed
//            interrupted, known_failure   at once, when the screen shows it
//            success      when a screen that looks like the end of a turn has stayed the same for the settle time; a later
//                         change of the screen takes it back until the screen has settled again
//
// A success is only reported for an awaited turn: after a prompt was submitted (and the screen changed or showed work), or after
// work was seen. A submitted prompt without any effect is not a turn: neither an old banner nor an old answer ends it.

/** A turn whose end is awaited. */
export interface Awaited {
  authority: TurnSource;
  seen: SeenOfTurn;
  /** The screen before it; null if none is known. */
  before: { conversation: string; ended: boolean } | null;
}

export interface TurnState {
  surface: InputSurface;
  phase: Phase;
  lastTurn: EndedTurn;
  awaited: Awaited | null;
  /** The screen that becomes a success if it stays until then. */
  settling: { conversation: string; until: number } | null;
  /** The screen of the last success. */
  settled: string | null;
  /** The prompt of the awaited turn, without white space. */
  submitted: string | null;
  /** We are interrupting the awaited turn. */
  interrupting: boolean;
  /** The draft that was in the composer when the last turn ended: it has not been typed since. */
  heldDraft: string | null;
  /** The screen on which the last turn ended. */
  endedOn: string | null;
  latest: ScreenFacts | null;
}

export type TurnEvent =
  | { kind: 'submitted'; prompt: string }
  /** We interrupted the agent. */
  | { kind: 'interrupt' }
  | { kind: 'frame'; at: number; sight: ScreenFacts }
  /** The passing of time; reported before each other event. */
  | { kind: 'time'; at: number }
  /** The screen cannot be observed; `gone`: because the tool is no longer there. */
  | { kind: 'unavailable'; gone: boolean };

export const initialTurnState: TurnState = {
  surface: unknownInput,
  phase: 'unknown',
  lastTurn: noTurn,
  awaited: null,
  settling: null,
  settled: null,
  submitted: null,
  interrupting: false,
  heldDraft: null,
  endedOn: null,
  latest: null,
};

/** @param settleMilliseconds how long a screen has to stay the same for a success. */
export function reduceTurn(state: TurnState, event: TurnEvent, settleMilliseconds: number): TurnState {
  switch (event.kind) {
    case 'submitted':
      return afterSubmission(state, event.prompt);
    case 'interrupt':
      return { ...state, interrupting: true };
    case 'frame':
      return afterFrame(state, event.at, event.sight, settleMilliseconds);
    case 'time':
      return afterTime(state, event.at);
    case 'unavailable':
      return event.gone
        ? { ...initialTurnState, lastTurn: state.lastTurn }
        : { ...state, surface: unknownInput, phase: 'unknown', settling: null };
  }
}

function afterSubmission(state: TurnState, prompt: string): TurnState {
  const { latest } = state;
  return {
    ...state,
    phase: 'active',
    lastTurn: noTurn,
    settling: null,
    settled: null,
    submitted: withoutSpace(prompt),
    interrupting: false,
    heldDraft: null,
    awaited: {
      authority: 'explicit_input',
      seen: 'nothing',
      // A screen with the prompt in its composer is no longer the one before the turn.
      before: latest?.draft === null ? marksOf(latest) : (state.awaited?.before ?? null),
    },
  };
}

function afterFrame(state: TurnState, at: number, sight: ScreenFacts, settleMilliseconds: number): TurnState {
  const restored = state.interrupting && !sight.active && isPrompt(state.submitted, sight.draft);
  const newDraft = sight.draft !== null && sight.draft !== state.heldDraft;
  const awaited = awaitedAfter(state, sight, newDraft);
  const next: TurnState = {
    ...state,
    surface: sight.surface,
    awaited,
    settling: null,
    heldDraft: sight.draft === null || newDraft ? null : state.heldDraft,
    latest: sight,
  };
  const phase = sight.surface.readyPosture === 'yes' ? 'ready' : 'unknown';
  const phaseAtEnd = sight.dialog ? 'unknown' : 'ready';
  const ended = isOldBanner(awaited) ? null : sight.ended;
  if (restored) return { ...withEnd(next, 'interrupted'), phase };
  // The same screen does not end a turn twice.
  if (sight.ended && awaited === null && state.endedOn === sight.conversation)
    return { ...next, phase: phaseAtEnd };
  if (ended && newDraft && state.phase !== 'active') return { ...next, phase, lastTurn: noTurn };
  if (ended) return { ...withEnd(next, ended), phase: phaseAtEnd };
  if (sight.active) return { ...next, phase: 'active', lastTurn: noTurn, settled: null };
  const succeeded = state.lastTurn.result === 'success' && state.settled !== null && !newDraft;
  if (sight.candidate && succeeded) {
    if (state.settled === sight.conversation) return { ...next, phase: 'ready' };
    return settlingOn(unsettled(next), at, sight, settleMilliseconds);
  }
  if (sight.candidate && mayEnd(awaited)) {
    const kept = state.settling?.conversation === sight.conversation ? state.settling : null;
    return kept
      ? { ...next, phase: 'ready', settling: kept }
      : settlingOn(next, at, sight, settleMilliseconds);
  }
  return { ...next, phase, lastTurn: newDraft ? noTurn : state.lastTurn };
}

function afterTime(state: TurnState, at: number): TurnState {
  const { settling } = state;
  if (settling === null || at < settling.until) return state;
  return { ...withEnd(state, 'success'), phase: 'ready', settling: null, settled: settling.conversation };
}

function awaitedAfter(state: TurnState, sight: ScreenFacts, newDraft: boolean): Awaited | null {
  const { awaited, latest } = state;
  if (sight.active) return { ...(awaited ?? { authority: 'surface_inference', before: null }), seen: 'work' };
  if (awaited === null)
    return newDraft
      ? { authority: 'surface_inference', seen: 'nothing', before: latest && marksOf(latest) }
      : null;
  const changed = sight.draft === null && sight.conversation !== awaited.before?.conversation;
  return awaited.seen === 'nothing' && changed ? { ...awaited, seen: 'change' } : awaited;
}

/** Decides whether there are enough signs of a turn to accept its end. A change of the screen is enough only after a prompt. */
const mayEnd = (awaited: Awaited | null): boolean =>
  awaited?.seen === 'work' || (awaited?.seen === 'change' && awaited.authority === 'explicit_input');

/** Recognizes the banner of an earlier turn: it is still there after a prompt without effect so far. */
const isOldBanner = (awaited: Awaited | null): boolean =>
  awaited?.authority === 'explicit_input' && awaited.seen === 'nothing' && awaited.before?.ended === true;

const marksOf = (sight: ScreenFacts) => ({ conversation: sight.conversation, ended: sight.ended !== null });

function withEnd(state: TurnState, result: EndedTurn['result']): TurnState {
  const known = state.lastTurn.source === 'none' ? 'surface_inference' : state.lastTurn.source;
  return {
    ...state,
    lastTurn: { result, source: state.awaited?.authority ?? known },
    awaited: null,
    settled: null,
    submitted: null,
    interrupting: false,
    heldDraft: state.latest?.draft ?? null,
    endedOn: state.latest?.conversation ?? null,
  };
}

/** Takes a success back: the same turn may settle again. */
function unsettled(state: TurnState): TurnState {
  const authority = state.lastTurn.source === 'explicit_input' ? 'explicit_input' : 'surface_inference';
  return { ...state, lastTurn: noTurn, settled: null, awaited: { authority, seen: 'work', before: null } };
}

const settlingOn = (state: TurnState, at: number, sight: ScreenFacts, milliseconds: number): TurnState => ({
  ...state,
  phase: 'ready',
  settling: { conversation: sight.conversation, until: at + milliseconds },
});

/** Removes white space: the composer wraps a prompt in its own way, also in the middle of words. */
const withoutSpace = (text: string): string => text.replace(/\s+/g, '');
const isPrompt = (submitted: string | null, draft: string | null): boolean =>
  Boolean(submitted) && draft !== null && withoutSpace(draft) === submitted;
