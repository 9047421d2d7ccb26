import type { FrameSignals } from '../../screen/frame-signals.js';
import type { Frame, SeenFrame } from '../../screen/screen-profile.js';
import { nothingRead, type ScreenReading, signalsOf } from '../../screen/signals-of.js';
import type { CodexProfile } from './codex-profile.js';
import { type CodexPrompt, readCodexScreen } from './codex-reading.js';
import { type CodexTrend, codexTrend } from './codex-temporal.js';

export const codexDetector = 'codex_tui';

/** What Codex shows in a frame, and what it shows by the frames before it. */
export function detectCodex(
  frame: Frame,
  recent: readonly SeenFrame[],
  profile: CodexProfile,
  notes: readonly string[],
): FrameSignals {
  const reading = readCodexScreen(frame.rows, profile);
  const prompt = reading.dialog === null ? reading.prompt : null;
  const seen =
    prompt === null ? { ...nothingRead, dialog: reading.dialog } : seenAt(prompt, frame.at, recent, profile);
  const detector = { name: codexDetector, version: profile.version };
  return signalsOf(detector, frame.rows, { ...seen, notes: [...notes, ...seen.notes] });
}

function seenAt(
  prompt: CodexPrompt,
  at: number,
  recent: readonly SeenFrame[],
  profile: CodexProfile,
): ScreenReading {
  const { composer, turn, activity, failure } = prompt;
  const trend = codexTrend(prompt, at, recent, profile);
  return {
    composer,
    dialog: null,
    overlay: prompt.slashMenu ? 'slash_command' : null,
    queued: activity.queued,
    activeReasons: trend === 'transcript_growth' ? [...activity.reasons, trend] : activity.reasons,
    interrupted: failure.interrupted || trend === 'silent_interruption',
    knownFailure: failure.knownFailure,
    currentError: failure.currentError,
    answered: turn.answered,
    completionMarker: turn.end !== null,
    statusLine: activity.status ?? failure.message ?? turn.end,
    chatContext: failure.chatContext,
    notes: notesOf(prompt, trend),
  };
}

function notesOf({ turn, activity, failure }: CodexPrompt, trend: CodexTrend): string[] {
  return [
    ...activity.notes,
    ...(turn.end === null ? [] : ['completion_marker_visible']),
    ...(failure.currentError ? ['current_error_present'] : []),
    ...(failure.chatContext.state === 'degraded' ? ['chat_context=degraded'] : []),
    ...(trend === null ? [] : [`temporal_${trend}`]),
  ];
}
