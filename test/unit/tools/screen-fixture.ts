import { readdirSync, readFileSync } from 'node:fs';
import type { FrameSignals } from '../../../src/tools/screen/frame-signals.js';
import type { SeenFrame, ToolScreens } from '../../../src/tools/screen/screen-profile.js';
import { toStyledRows } from '../../../src/tools/screen/styled-rows.js';

const fixtures = new URL('../../fixtures/', import.meta.url);

/** What tmux captured of a pane with a real CLI in it, such as `0.169.0/10-ready-idle`. */
export function captureOf(tool: string, screen: string): string {
  return readFileSync(new URL(`screens/${tool}/${screen}.ansi`, fixtures), 'utf8');
}

/** The captures of a tool, as `captureOf` takes them. */
export function capturesOf(tool: string): string[] {
  return readdirSync(new URL(`screens/${tool}/`, fixtures), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ansi'))
    .map((file) => file.slice(0, -'.ansi'.length).replaceAll('\\', '/'))
    .sort();
}

/** What a person saw on a capture. What is not told is not to be seen. */
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

export function expectedSignals(tool: string): Record<string, ExpectedSignals> {
  return JSON.parse(readFileSync(new URL(`screens/${tool}/expected.json`, fixtures), 'utf8'));
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

/** One frame alone. */
export function signalsIn(screens: ToolScreens, version: string | null, capture: string): FrameSignals {
  return screens.profileFor(version).detect({ rows: toStyledRows(capture), at: 0 }, []);
}

/** Frames in a row, each with those of the five seconds before it. */
export function signalsOver(
  screens: ToolScreens,
  version: string,
  frames: readonly { at: number; capture: string }[],
): FrameSignals[] {
  const profile = screens.profileFor(version);
  const seen: SeenFrame[] = [];
  for (const { at, capture } of frames) {
    const frame = { rows: toStyledRows(capture), at };
    const recent = seen.filter((each) => at - each.at <= 5000);
    seen.push({ ...frame, signals: profile.detect(frame, recent) });
  }
  return seen.map((frame) => frame.signals);
}
