import type { SeenFrame } from '../../screen/screen-profile.js';
import type { StyledRow } from '../../screen/styled-rows.js';
import type { CodexProfile } from './codex-profile.js';
import { type CodexPrompt, readCodexScreen } from './codex-reading.js';
import { mostRowsWithoutPrompt } from './codex-turn.js';

/** What several screens show together that none of them shows alone. */
export type CodexTrend = 'transcript_growth' | 'silent_interruption' | null;

const windowMs = 3000;
const longestGapMs = 2000;
const grownCharacters = 48;
const grownRows = 2;

/** @param now the newest screen, taken at `at`. */
export function codexTrend(
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

/** The frames of the last seconds without a gap, the oldest first. */
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

/** Growth itself is no work that was seen: it would prove itself. */
const wasActive = (frame: SeenFrame): boolean =>
  frame.signals.activeReasons.some((reason) => reason !== 'transcript_growth');

/** The prompt that was worked on stands in the composer again, and the transcript has no answer to it. */
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
