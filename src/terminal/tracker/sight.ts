import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import type { Surface } from './turn-shapes.js';

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
