import type { Dialog } from '../../screen/dialog.js';
import { type FrameSignals, nothingRead, type ScreenReading, signalsOf } from '../../screen/frame-signals.js';
import {
  type Frame,
  newerVersionNote,
  type ScreenProfile,
  type SeenFrame,
  type ToolScreens,
  versionChoice,
} from '../../screen/screen-profile.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import { type CodexComposer, findComposer, findSlashMenu } from './codex-composer.js';
import { findCodexDialog } from './codex-dialog.js';
import { type CodexFailure, codexFailure } from './codex-failure.js';
import { type CodexProfile, codexFallback, codexProfiles } from './codex-screen-rules.js';
import {
  type CodexActivity,
  type CodexTurn,
  codexActivity,
  latestTurn,
  mostRowsWithoutPrompt,
} from './codex-turn.js';

const codexDetector = 'codex_tui';

/** Reads a frame of Codex. Some signals need the frames before it. */
function detectCodex(
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

/** The reader of Codex's terminal screens. */
export const codexScreens: ToolScreens = {
  name: codexDetector,
  processNames: ['codex'],
  // Codex 0.169.0 takes an Enter from 20 ms after a text on (10 ms: never), and a letter from 20 ms after Escape.
  keyPauses: { text: 100, escape: 100 },
  profileFor(version) {
    const choice = versionChoice(version, codexProfiles);
    if (choice === null) return screenProfile(codexFallback, ['fallback_detector']);
    return screenProfile(choice.value, choice.newerThanKnown ? [newerVersionNote] : []);
  },
};

const screenProfile = (profile: CodexProfile, notes: readonly string[]): ScreenProfile => ({
  version: profile.version,
  detect: (frame, recent) => detectCodex(frame, recent, profile, notes),
});

/** An observation that takes several screens: no single one shows it. */
type CodexTrend = 'transcript_growth' | 'silent_interruption' | null;

const windowMs = 3000;
const longestGapMs = 2000;
const grownCharacters = 48;
const grownRows = 2;

/** @param now the newest screen, taken at `at`. */
function codexTrend(
  now: CodexPrompt,
  at: number,
  recent: readonly SeenFrame[],
  profile: CodexProfile,
): CodexTrend {
  const { failure, activity } = now;
  if (failure.currentError || failure.interrupted || activity.status !== null) return null;
  const frames = framesUpTo(at, recent);
  if (profile.interruptsSilently && wasInterruptedSilently(now, frames, profile))
    return 'silent_interruption';
  return hasGrown(now, frames, profile) ? 'transcript_growth' : null;
}

/** Returns the frames of the last `windowMs` milliseconds, after the last gap, the oldest first. */
function framesUpTo(at: number, recent: readonly SeenFrame[]): readonly SeenFrame[] {
  const within = recent.filter((frame) => frame.at <= at && at - frame.at <= windowMs);
  const gap = within.findLastIndex((frame, index) => (within[index + 1]?.at ?? at) - frame.at > longestGapMs);
  return within.slice(gap + 1);
}

function hasGrown(now: CodexPrompt, frames: readonly SeenFrame[], profile: CodexProfile): boolean {
  const oldest = frames[0];
  if (oldest === undefined) return false;
  if (profile.growthShowsWork === 'after_activity' && (now.turn.answered || !frames.some(wasActive)))
    return false;
  const before = transcriptOf(oldest, profile);
  const after = textsOf(now.turn.rows);
  const more = after.join('\n').length - before.join('\n').length;
  return more >= grownCharacters || after.length - before.length >= grownRows;
}

/** Growth is not counted as earlier work: otherwise it would confirm itself. */
const wasActive = (frame: SeenFrame): boolean =>
  frame.signals.activeReasons.some((reason) => reason !== 'transcript_growth');

/** Recognizes that the prompt of the running turn is in the composer again and has no answer in the transcript. */
function wasInterruptedSilently(
  now: CodexPrompt,
  frames: readonly SeenFrame[],
  profile: CodexProfile,
): boolean {
  const active = frames.findLast(wasActive);
  const prompt = active === undefined ? null : (promptOf(active, profile)?.turn.prompt ?? null);
  if (prompt === null || prompt === '' || now.activity.reasons.length > 0) return false;
  const isBack = now.composer.kind === 'draft' && flattened(now.composer.text).startsWith(flattened(prompt));
  return isBack && !(now.turn.prompt === prompt && now.turn.answered);
}

function promptOf(frame: SeenFrame, profile: CodexProfile): CodexPrompt | null {
  const reading = readCodexScreen(frame.rows, profile);
  return reading.dialog === null ? reading.prompt : null;
}

function transcriptOf(frame: SeenFrame, profile: CodexProfile): string[] {
  return textsOf(promptOf(frame, profile)?.turn.rows ?? frame.rows.slice(-mostRowsWithoutPrompt));
}

const textsOf = (rows: readonly StyledRow[]): string[] =>
  rows.map((row) => row.text.trim()).filter((text) => text !== '');

const flattened = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The content of one screen of Codex. */
type CodexReading = { dialog: Dialog } | { dialog: null; prompt: CodexPrompt | null };

/** A screen with a composer. */
interface CodexPrompt {
  composer: CodexComposer;
  slashMenu: boolean;
  turn: CodexTurn;
  activity: CodexActivity;
  failure: CodexFailure;
}

function readCodexScreen(rows: readonly StyledRow[], profile: CodexProfile): CodexReading {
  const dialog = findCodexDialog(rows.map((row) => row.text));
  return dialog === null ? { dialog, prompt: readPrompt(rows, profile) } : { dialog };
}

function readPrompt(rows: readonly StyledRow[], profile: CodexProfile): CodexPrompt | null {
  const composer = findComposer(rows, profile);
  if (composer === null) return null;
  const menu = findSlashMenu(rows, composer);
  const turn = latestTurn(rows, menu ?? composer.row, profile);
  return {
    composer,
    slashMenu: menu !== null,
    turn,
    activity: codexActivity(turn, profile),
    failure: codexFailure(turn),
  };
}
