import type { DialogKind } from '../../tools/screen/dialog.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import { newerVersionNote } from '../../tools/screen/version-choice.js';
import type { Projection, ProjectionCues } from './projection.js';
import { sightOf } from './sight.js';

/** What a screen says, derived from the same signals as everything else that is told of it. */
export interface ParsedSurface {
  family: string;
  presetId: string;
  /** Null where the reader was made for no version. */
  presetVersion: string | null;
  availability: 'supported' | 'unknown';
  businessState: 'idle' | 'working' | 'awaiting_operator' | 'unknown';
  inputMode: 'freeform' | 'modal' | 'closed' | 'unknown';
  uiContext: string;
  text: Projection;
  anomalyCodes: readonly string[];
  /** The text became shorter than it was when it was first understood. */
  baselineInvalidated: boolean;
  /** The rows of the dialog that is up. */
  operatorBlockedExcerpt: string | null;
}

/** Of the reader for versions that were never looked at. */
const fallbackVersion = 'fallback';

const dialogContext: Readonly<Record<DialogKind, string>> = {
  permission: 'approval_prompt',
  trust: 'trust_prompt',
  login: 'login_prompt',
  update: 'update_prompt',
  selection: 'selection_menu',
};

export const projectionCues = (signals: FrameSignals): ProjectionCues => ({
  composer: signals.promptVisible && signals.dialog === null,
  menu: signals.overlay !== null,
  draft: signals.promptText?.split('\n')[0] ?? null,
  workRow: signals.activeReasons.length > 0 ? signals.statusLine : null,
});

/** @param baseline length of the normalised text when it was first understood; null when it was not yet. */
export function parsedSurface(
  signals: FrameSignals,
  text: Projection,
  profileVersion: string,
  baseline: number | null,
): ParsedSurface {
  const understood = isUnderstood(signals);
  const shorter = baseline !== null && text.normalized.length < baseline;
  const fallback = profileVersion === fallbackVersion;
  return {
    family: signals.detector.name,
    presetId: `${signals.detector.name}-${profileVersion}`,
    presetVersion: fallback ? null : profileVersion,
    availability: understood ? 'supported' : 'unknown',
    businessState: understood ? businessState(signals) : 'unknown',
    inputMode: understood ? inputMode(signals) : 'unknown',
    uiContext: understood ? uiContext(signals) : 'unknown',
    text,
    anomalyCodes: [
      ...(fallback ? ['fallback_profile_used'] : []),
      ...(signals.notes.includes(newerVersionNote) ? ['unknown_version_floor_used'] : []),
      ...(shorter ? ['baseline_invalidated'] : []),
    ],
    baselineInvalidated: shorter,
    operatorBlockedExcerpt: signals.dialog?.excerpt ?? null,
  };
}

/** Whether anything on the screen was recognised. */
const isUnderstood = (signals: FrameSignals): boolean =>
  signals.promptVisible ||
  signals.dialog !== null ||
  signals.overlay !== null ||
  signals.activeReasons.length > 0 ||
  signals.currentError ||
  signals.acceptingInput !== 'unknown';

function businessState(signals: FrameSignals): ParsedSurface['businessState'] {
  if (signals.dialog) return 'awaiting_operator';
  return sightOf(signals).active ? 'working' : 'idle';
}

function inputMode(signals: FrameSignals): ParsedSurface['inputMode'] {
  if (signals.dialog) return signals.dialog.kind === 'login' && !signals.promptVisible ? 'closed' : 'modal';
  if (signals.overlay) return 'modal';
  if (signals.acceptingInput === 'yes') return 'freeform';
  const closed = signals.acceptingInput === 'no' || signals.activeReasons.length > 0 || signals.currentError;
  return closed ? 'closed' : 'unknown';
}

function uiContext(signals: FrameSignals): string {
  if (signals.dialog) return dialogContext[signals.dialog.kind];
  if (signals.overlay) return signals.overlay;
  if (signals.promptVisible) return 'normal_prompt';
  return signals.currentError || signals.knownFailure ? 'error_banner' : 'unknown';
}
