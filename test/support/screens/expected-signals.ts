import { readFileSync } from 'node:fs';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';

const folder = new URL('../../fixtures/screens/', import.meta.url);

/** The signals that a person saw on a capture. A signal that is not named is not to be seen. */
export interface ExpectedSignals
  extends Pick<FrameSignals, 'acceptingInput' | 'editingInput' | 'readyPosture' | 'pendingInput'>,
    Partial<
      Pick<
        FrameSignals,
        | 'activeReasons'
        | 'interrupted'
        | 'knownFailure'
        | 'currentError'
        | 'successCandidate'
        | 'completionMarker'
        | 'promptText'
        | 'statusLine'
        | 'overlay'
      >
    > {
  dialog?: string;
}

/** By the screens of a tool, such as `0.169.0/10-ready-idle`. */
export function expectedSignals(tool: string): Record<string, ExpectedSignals> {
  return JSON.parse(readFileSync(new URL(`${tool}/expected.json`, folder), 'utf8'));
}

export const nothingElse = {
  activeReasons: [],
  interrupted: false,
  knownFailure: false,
  currentError: false,
  successCandidate: false,
  completionMarker: false,
  promptText: null,
  statusLine: null,
  overlay: null,
};

/** Signals as the tables of expected ones have them. */
export function comparable(
  signals: FrameSignals,
): Required<Omit<ExpectedSignals, 'dialog'>> & { dialog?: string } {
  const { acceptingInput, editingInput, readyPosture, pendingInput, activeReasons, interrupted } = signals;
  const { knownFailure, currentError, successCandidate, completionMarker, promptText, statusLine } = signals;
  const { overlay, dialog } = signals;
  return {
    acceptingInput,
    editingInput,
    readyPosture,
    pendingInput,
    activeReasons,
    interrupted,
    knownFailure,
    currentError,
    successCandidate,
    completionMarker,
    promptText,
    statusLine,
    overlay,
    ...(dialog === null ? {} : { dialog: dialog.kind }),
  };
}
