import { createHash } from 'node:crypto';
import type { Dialog } from './dialog.js';
import type { StyledRow, StyledRun } from './styled-rows.js';

/** An answer that one frame may leave open. */
export type Tristate = 'yes' | 'no' | 'unknown';

/** Whether the conversation can continue as it is; `degraded`: the tool could not compact it. */
export interface ChatContext {
  state: 'current' | 'degraded' | 'unknown';
  diagnostic: { degradedErrorType: string; messagePreview: string } | null;
}

/** The signals that a detector reads in one frame: the text of a pane with its styles. */
export interface FrameSignals {
  detector: { name: string; version: string };
  /** Whether the composer takes typed text. */
  acceptingInput: Tristate;
  /** Whether the composer holds a draft. */
  editingInput: Tristate;
  /** Whether the agent waits for a prompt. */
  readyPosture: Tristate;
  /** Whether prompts wait in the tool's own queue. */
  pendingInput: Tristate;
  promptVisible: boolean;
  /** The draft, only if the text is certainly a draft. Rows of one draft are joined with `\n`. */
  promptText: string | null;
  /** The reasons why the agent is seen at work, such as `thinking_line`; empty if it is not. */
  activeReasons: readonly string[];
  interrupted: boolean;
  knownFailure: boolean;
  currentError: boolean;
  successCandidate: boolean;
  successBlocked: boolean;
  completionMarker: boolean;
  /** The tool's own description of its current or last work, for people. */
  statusLine: string | null;
  /** The dialog on the screen. */
  dialog: Dialog | null;
  /** A menu of slash commands or another overlay from which Enter would choose, and that is not a dialog. */
  overlay: 'slash_command' | null;
  chatContext: ChatContext;
  /** SHA-256 of the text, without styles, in hexadecimal. */
  surfaceSignature: string;
  notes: readonly string[];
}

/**
 * The kind of text in a composer: `placeholder` is text that the tool itself shows in an empty composer; `unknown` is text whose
 * style fits neither a draft nor a placeholder.
 */
export type ComposerText = 'empty' | 'placeholder' | 'draft' | 'unknown';

/**
 * Classifies the text in a composer by its style. Text in an ordinary colour was typed, dim text was not. The cursor inverts one
 * character, which then gives no hint.
 * @param isTyped whether a run in an ordinary style was typed; a tool may have another style for suggestions.
 */
export function composerTextKind(
  runs: readonly StyledRun[],
  isTyped: (run: StyledRun) => boolean = () => true,
): ComposerText {
  const visible = runs.filter((run) => run.text.trim() !== '');
  if (visible.length === 0) return 'empty';
  const ordinary = visible.filter((run) => !run.dim && !run.inverse && !run.otherAttribute);
  if (ordinary.some(isTyped)) return 'draft';
  const shown = visible.filter((run) => !run.inverse);
  return shown.length > 0 && shown.every((run) => run.dim || ordinary.includes(run))
    ? 'placeholder'
    : 'unknown';
}

/** The findings of a tool's reader on a screen. */
export interface ScreenReading {
  /** Null if no composer is visible, or not certainly. */
  composer: { kind: ComposerText; text: string } | null;
  dialog: Dialog | null;
  overlay: 'slash_command' | null;
  /** Whether prompts wait in the tool's queue, for a screen with a composer. */
  queued: boolean;
  activeReasons: readonly string[];
  interrupted: boolean;
  knownFailure: boolean;
  currentError: boolean;
  /** The latest turn shows a result: an answer, or a row that says that it has ended. */
  answered: boolean;
  completionMarker: boolean;
  statusLine: string | null;
  chatContext: ChatContext;
  notes: readonly string[];
}

/** A screen without a composer, on which nothing else was found either. */
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

/** Combines the findings on a screen into signals, of which some suppress others. */
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

// Under a dialog the composer may still hold a draft, so the answer is unknown.
const editingInputOf = (kind: ComposerText): Tristate =>
  kind === 'draft' ? 'yes' : kind === 'unknown' ? 'unknown' : 'no';

const holdsText = (kind: ComposerText): boolean => kind === 'draft' || kind === 'unknown';

function readyPostureOf(composer: boolean, dialog: boolean, active: boolean, overlay: boolean): Tristate {
  if (dialog || active) return 'no';
  return composer && !overlay ? 'yes' : 'unknown';
}

/** Joins the text of the rows with `\n`. */
export const plainText = (rows: readonly StyledRow[]): string => rows.map((row) => row.text).join('\n');

/** Returns the SHA-256 of the rows' text in hexadecimal: equal for screens that differ only in styles. */
export const surfaceSignatureOf = (rows: readonly StyledRow[]): string =>
  createHash('sha256').update(plainText(rows)).digest('hex');
