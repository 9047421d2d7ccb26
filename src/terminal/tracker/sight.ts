import type { FrameSignals, Tristate } from '../../tools/screen/frame-signals.js';

/** What a frame says, as far as turns depend on it. */
export interface Sight {
  /** Of the whole text, without styles. */
  signature: string;
  /** Of the conversation in it: what stands around the composer may change all the time, such as a clock in the footer. */
  conversation: string;
  surface: Surface;
  active: boolean;
  /** A banner that says how the latest turn ended badly. */
  ended: 'interrupted' | 'known_failure' | null;
  /** The screen looks like the end of a turn that went well. */
  candidate: boolean;
  /** The draft in the composer, empty where its text is not known; null where none is seen. */
  draft: string | null;
  dialog: boolean;
}

/**
 * Signals with their contradictions settled: what is typed while a dialog is up goes to the dialog, an agent at work waits
 * for no prompt, and success is never read off a screen that also says otherwise.
 * @param conversation {@link Sight.conversation}.
 */
export function sightOf(signals: FrameSignals, conversation = signals.surfaceSignature): Sight {
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

/** Whether a prompt could be typed. */
export interface Surface {
  acceptingInput: Tristate;
  editingInput: Tristate;
  readyPosture: Tristate;
  pendingInput: Tristate;
}

export const unknownSurface: Surface = {
  acceptingInput: 'unknown',
  editingInput: 'unknown',
  readyPosture: 'unknown',
  pendingInput: 'unknown',
};

/** `ready`: nothing runs and a prompt would be accepted; `active`: the agent works. */
export type Phase = 'ready' | 'active' | 'unknown';

/** How the latest finished turn ended, and whether it began with a noted prompt or was only seen on the screen. */
export interface LastTurn {
  result: 'success' | 'interrupted' | 'known_failure' | 'none';
  source: 'explicit_input' | 'surface_inference' | 'none';
}

export const noTurn: LastTurn = { result: 'none', source: 'none' };

/** Whether a prompt was submitted, or a draft or work was only seen. */
export type Authority = 'explicit_input' | 'surface_inference';

/** What was seen of a turn whose end is waited for. */
export type SeenOfTurn = 'nothing' | 'change' | 'work';
