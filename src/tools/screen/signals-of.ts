import type { ComposerText } from './composer-text.js';
import type { Dialog } from './dialog.js';
import type { ChatContext, FrameSignals, Tristate } from './frame-signals.js';
import type { StyledRow } from './styled-rows.js';
import { surfaceSignatureOf } from './surface-signature.js';

/** What a tool's reader found on a screen. */
export interface ScreenReading {
  /** Null where no composer is to be seen, or not surely. */
  composer: { kind: ComposerText; text: string } | null;
  dialog: Dialog | null;
  overlay: 'slash_command' | null;
  /** Whether prompts wait in the tool's queue, for a screen with a composer. */
  queued: boolean;
  activeReasons: readonly string[];
  interrupted: boolean;
  knownFailure: boolean;
  currentError: boolean;
  /** The latest turn has come to something: an answer, or a row that says it is over. */
  answered: boolean;
  completionMarker: boolean;
  statusLine: string | null;
  chatContext: ChatContext;
  notes: readonly string[];
}

/** A screen without a composer, of which nothing else is told either. */
export const nothingRead: ScreenReading = {
  composer: null,
  dialog: null,
  overlay: null,
  queued: false,
  activeReasons: [],
  interrupted: false,
  knownFailure: false,
  currentError: false,
  answered: false,
  completionMarker: false,
  statusLine: null,
  chatContext: { state: 'unknown', diagnostic: null },
  notes: [],
};

/** The signals of a screen that was read: how its parts bear on each other. */
export function signalsOf(
  detector: FrameSignals['detector'],
  rows: readonly StyledRow[],
  reading: ScreenReading,
): FrameSignals {
  const { dialog } = reading;
  const composer = dialog === null ? reading.composer : null;
  const activeReasons = composer === null ? [] : reading.activeReasons;
  const active = activeReasons.length > 0;
  const overlay = composer === null ? null : reading.overlay;
  const interrupted = composer !== null && !active && reading.interrupted;
  const knownFailure = composer !== null && !active && reading.knownFailure;
  const currentError = composer !== null && !active && reading.currentError;
  const readyPosture = readyPostureOf(composer !== null, dialog !== null, active, overlay !== null);
  const successBlocked =
    dialog !== null || overlay !== null || active || interrupted || knownFailure || currentError;
  return {
    detector,
    acceptingInput: dialog === null ? seen(composer !== null) : 'no',
    editingInput: editingInputOf(composer?.kind ?? 'unknown'),
    readyPosture,
    pendingInput: composer === null ? 'unknown' : reading.queued ? 'yes' : 'no',
    promptVisible: composer !== null,
    promptText: composer?.kind === 'draft' ? composer.text : null,
    activeReasons,
    interrupted,
    knownFailure,
    currentError,
    successCandidate:
      readyPosture === 'yes' &&
      !successBlocked &&
      reading.answered &&
      !holdsText(composer?.kind ?? 'unknown'),
    successBlocked,
    completionMarker: composer !== null && reading.completionMarker,
    statusLine: composer === null ? null : reading.statusLine,
    dialog,
    overlay,
    chatContext: composer === null ? { state: 'unknown', diagnostic: null } : reading.chatContext,
    surfaceSignature: surfaceSignatureOf(rows),
    notes: [
      ...(composer === null ? [] : [`prompt_kind=${composer.kind}`]),
      ...(composer?.kind === 'unknown' ? ['unrecognized_prompt_presentation'] : []),
      ...(dialog === null ? [] : ['dialog_visible']),
      ...(overlay === null ? [] : ['slash_menu_visible']),
      ...reading.notes,
    ],
  };
}

const seen = (visible: boolean): Tristate => (visible ? 'yes' : 'unknown');

// Under a dialog a draft may go on standing in the composer, so that nothing is known of it.
const editingInputOf = (kind: ComposerText): Tristate =>
  kind === 'draft' ? 'yes' : kind === 'unknown' ? 'unknown' : 'no';

const holdsText = (kind: ComposerText): boolean => kind === 'draft' || kind === 'unknown';

function readyPostureOf(composer: boolean, dialog: boolean, active: boolean, overlay: boolean): Tristate {
  if (dialog || active) return 'no';
  return composer && !overlay ? 'yes' : 'unknown';
}
