import { type Dialog, type DialogKind, dialogOf } from '../../../src/tools/screen/dialog.js';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';

/** A question with two choices, the first marked. */
export const mayI = (kind: DialogKind = 'permission'): Dialog =>
  dialogOf(kind, ['May I?', '❯ 1. Yes', '  2. No'], '❯');

/** The signals of a detector for an idle composer; `given` has the others. */
export const frame = (given: Partial<FrameSignals> = {}): FrameSignals => ({
  detector: { name: 'toy', version: '1.x' },
  acceptingInput: 'yes',
  editingInput: 'no',
  readyPosture: 'yes',
  pendingInput: 'no',
  promptVisible: true,
  promptText: null,
  activeReasons: [],
  interrupted: false,
  knownFailure: false,
  currentError: false,
  successCandidate: false,
  successBlocked: false,
  completionMarker: false,
  statusLine: null,
  dialog: null,
  overlay: null,
  chatContext: { state: 'current', diagnostic: null },
  surfaceSignature: 'idle',
  notes: [],
  ...given,
});

/** Frames with their own signatures; `text` makes another one of the same kind. */
export const planted = {
  idle: (text = 'idle') => frame({ surfaceSignature: text }),
  draft: (draft: string, text = `draft ${draft}`) =>
    frame({ editingInput: 'yes', promptText: draft, surfaceSignature: text }),
  working: (text = 'working') =>
    frame({
      readyPosture: 'no',
      activeReasons: ['thinking_line'],
      successBlocked: true,
      surfaceSignature: text,
    }),
  statusRow: (text = 'status row') =>
    frame({ activeReasons: ['status_row'], readyPosture: 'no', surfaceSignature: text }),
  done: (text = 'done') => frame({ successCandidate: true, completionMarker: true, surfaceSignature: text }),
  interrupted: (text = 'interrupted') =>
    frame({ interrupted: true, successBlocked: true, surfaceSignature: text }),
  failed: (text = 'failed') =>
    frame({ knownFailure: true, currentError: true, successBlocked: true, surfaceSignature: text }),
  dialog: (text = 'dialog') =>
    frame({
      promptVisible: false,
      acceptingInput: 'no',
      editingInput: 'unknown',
      readyPosture: 'no',
      successBlocked: true,
      dialog: mayI(),
      surfaceSignature: text,
    }),
  menu: (text = 'menu') =>
    frame({
      editingInput: 'yes',
      promptText: '/',
      readyPosture: 'unknown',
      overlay: 'slash_command',
      successBlocked: true,
      surfaceSignature: text,
    }),
  nothing: (text = 'nothing') =>
    frame({
      acceptingInput: 'unknown',
      editingInput: 'unknown',
      readyPosture: 'unknown',
      pendingInput: 'unknown',
      promptVisible: false,
      chatContext: { state: 'unknown', diagnostic: null },
      surfaceSignature: text,
    }),
} as const;
