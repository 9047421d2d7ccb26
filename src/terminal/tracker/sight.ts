import type { FrameSignals, Tristate } from '../../tools/screen/frame-signals.js';

/** The facts in a frame on which turns depend. */
export interface ScreenFacts {
  /** The signature of the whole text, without styles. */
  signature: string;
  /** The conversation in the text: the rows around the composer may change all the time, such as a clock in the footer. */
  conversation: string;
  surface: InputSurface;
  active: boolean;
  /** A banner shows that the latest turn was interrupted or failed. */
  ended: 'interrupted' | 'known_failure' | null;
  /** The screen looks like the end of a successful turn. */
  candidate: boolean;
  /** The draft in the composer, empty if its text is not known; null if none is seen. */
  draft: string | null;
  dialog: boolean;
}

/**
 * Resolves contradictions between signals: keys that are typed while a dialog is open go to the dialog, an agent at work does not
 * wait for a prompt, and a screen with any contrary sign is never a success.
 * @param conversation {@link ScreenFacts.conversation}.
 */
export function screenFactsOf(signals: FrameSignals, conversation = signals.surfaceSignature): ScreenFacts {
  const dialog = signals.dialog !== null;
  const ended = signals.interrupted ? 'interrupted' : signals.knownFailure ? 'known_failure' : null;
  const active = signals.activeReasons.length > 0 && ended === null;
  const surface = {
    acceptingInput: dialog ? 'no' : signals.acceptingInput,
    editingInput: signals.editingInput,
    readyPosture: dialog || (active && signals.readyPosture === 'yes') ? 'no' : signals.readyPosture,
    pendingInput: signals.pendingInput,
  } as const;
  return {
    signature: signals.surfaceSignature,
    conversation,
    surface,
    active,
    ended,
    candidate:
      signals.successCandidate &&
      !signals.successBlocked &&
      !signals.currentError &&
      !active &&
      ended === null &&
      !dialog &&
      signals.overlay === null,
    draft:
      signals.promptVisible && surface.acceptingInput === 'yes' && surface.editingInput === 'yes'
        ? (signals.promptText ?? '')
        : null,
    dialog,
  };
}

/** The signals on whether a prompt can be typed. */
export interface InputSurface {
  acceptingInput: Tristate;
  editingInput: Tristate;
  readyPosture: Tristate;
  pendingInput: Tristate;
}

export const unknownInput: InputSurface = {
  acceptingInput: 'unknown',
  editingInput: 'unknown',
  readyPosture: 'unknown',
  pendingInput: 'unknown',
};

/** `ready`: nothing runs and a prompt would be accepted; `active`: the agent works. */
export type Phase = 'ready' | 'active' | 'unknown';

/** The end of the latest finished turn, and whether it began with a noted prompt or was only seen on the screen. */
export interface EndedTurn {
  result: 'success' | 'interrupted' | 'known_failure' | 'none';
  source: 'explicit_input' | 'surface_inference' | 'none';
}

export const noTurn: EndedTurn = { result: 'none', source: 'none' };

/** The evidence for a turn: a submitted prompt, or only a draft or work on the screen. */
export type TurnSource = 'explicit_input' | 'surface_inference';

/** The signs so far of a turn whose end is awaited. */
export type SeenOfTurn = 'nothing' | 'change' | 'work';
