import { createHash } from 'node:crypto';
import type { Dialog } from './dialog.js';
import type { StyledRow, StyledRun } from './styled-rows.js';

/** What one look may leave open. */
export type Tristate = 'yes' | 'no' | 'unknown';

/** Whether the conversation can go on as it is; `degraded`: the tool could not compact it. */
export interface ChatContext {
  state: 'current' | 'degraded' | 'unknown';
  diagnostic: { degradedErrorType: string; messagePreview: string } | null;
}

/** What a detector sees in one frame: the text of a pane with its styles. */
export interface FrameSignals {
  detector: { name: string; version: string };
  /** Whether the composer takes typed text. */
  acceptingInput: Tristate;
  /** Whether a draft stands in the composer. */
  editingInput: Tristate;
  /** Whether the agent waits for a prompt. */
  readyPosture: Tristate;
  /** Whether prompts wait in the tool's own queue. */
  pendingInput: Tristate;
  promptVisible: boolean;
  /** The draft, only where the text is surely a draft. Rows of one draft are joined with `\n`. */
  promptText: string | null;
  /** Why the agent is seen at work, such as `thinking_line`; empty where it is not. */
  activeReasons: readonly string[];
  interrupted: boolean;
  knownFailure: boolean;
  currentError: boolean;
  successCandidate: boolean;
  successBlocked: boolean;
  completionMarker: boolean;
  /** The tool's own word on what it does or did last, for people. */
  statusLine: string | null;
  /** The dialog that is up. */
  dialog: Dialog | null;
  /** A menu of slash commands or another overlay that Enter would choose from, and that is no dialog. */
  overlay: 'slash_command' | null;
  chatContext: ChatContext;
  /** SHA-256 of the text, without styles, in hexadecimal. */
  surfaceSignature: string;
  notes: readonly string[];
}

/** `placeholder` is what a tool itself shows in an empty composer; `unknown` is text in a style that tells neither. */
export type ComposerText = 'empty' | 'placeholder' | 'draft' | 'unknown';

/**
 * What stands in a composer, by its style. Text in an ordinary colour was typed, dim text was not. The cursor inverts one
 * character, which then says nothing.
 * @param isTyped whether a run in an ordinary style was typed; a tool may have another style for what it suggests.
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

/** The rows as text, joined with `\n`. */
export const plainText = (rows: readonly StyledRow[]): string => rows.map((row) => row.text).join('\n');

/** SHA-256 of the rows' text in hexadecimal: equal for screens that differ in styles only. */
export const surfaceSignatureOf = (rows: readonly StyledRow[]): string =>
  createHash('sha256').update(plainText(rows)).digest('hex');
