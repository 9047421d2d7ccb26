import type { DialogKind } from '../../tools/screen/dialog.js';
import type { FrameSignals } from '../../tools/screen/frame-signals.js';
import { newerVersionNote } from '../../tools/screen/screen-profile.js';
import type { StyledRow } from '../../tools/screen/styled-rows.js';
import { screenFactsOf } from './sight.js';

/** The meaning of a screen, derived from the same signals as everything else that is reported about it. */
export interface ParsedSurface {
  family: string;
  presetId: string;
  /** Null if the reader was not made for a particular version. */
  presetVersion: string | null;
  availability: 'supported' | 'unknown';
  businessState: 'idle' | 'working' | 'awaiting_operator' | 'unknown';
  inputMode: 'freeform' | 'modal' | 'closed' | 'unknown';
  uiContext: string;
  text: ScreenProjection;
  anomalyCodes: readonly string[];
  /** The text is shorter than it was when it was first understood. */
  baselineInvalidated: boolean;
  /** The rows of the open dialog. */
  operatorBlockedExcerpt: string | null;
}

/** The profile version of the reader for untested versions. */
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

/** @param baseline the length of the normalised text when it was first understood; null before that. */
export function parsedSurface(
  signals: FrameSignals,
  text: ScreenProjection,
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

/** Decides whether anything on the screen was recognised. */
const isUnderstood = (signals: FrameSignals): boolean =>
  signals.promptVisible ||
  signals.dialog !== null ||
  signals.overlay !== null ||
  signals.activeReasons.length > 0 ||
  signals.currentError ||
  signals.acceptingInput !== 'unknown';

function businessState(signals: FrameSignals): ParsedSurface['businessState'] {
  if (signals.dialog) return 'awaiting_operator';
  return screenFactsOf(signals).active ? 'working' : 'idle';
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

/** The text of a screen, and the conversation in it. */
export interface ScreenProjection {
  /** All rows, without styles and without the empty rows at the end. */
  normalized: string;
  dialog: string;
  /**
   * The conversation without indentation; empty if there is none yet. With indentation, a row behind a blinking mark would seem
   * to move.
   */
  conversation: string;
  /** The first and the last 12 rows of `dialog`. */
  head: string;
  tail: string;
}

/** The signals that separate the conversation from the rest of the screen. */
export interface ProjectionCues {
  /** The composer is on the screen: the rows from its last prompt row on are not conversation. */
  composer: boolean;
  /** The composer has a menu; if the menu is above, it ends at an empty row. */
  menu: boolean;
  /** The first row of the typed text, if it is known. */
  draft: string | null;
  /** The text, behind its mark, of the row that only shows that the agent works. */
  workRow: string | null;
}

const edgeRows = 12;
/** Rows of lines, frames, shades and dots without a word. */
const ornament = /^[\s\u2500-\u259f\u2800-\u28ff]+$/;
const frameEdges = /^\s*[│┃]\s?|\s*[│┃]\s*$/g;
const boxTop = /^\s*[╭┌]/;
const boxBottom = /^\s*[╰└]/;
const logo = /[\u2580-\u259f]{2}|^\s*>_ /;
const promptRow = /^\s*[❯›>](?:\s+(?<typed>.*))?$/;
const emptyPrompt = /^\s*[❯›>]\s*$/;
/** Hints at the right, above the composer. */
const atTheRight = /^\s{40}/;
const workMark = /^\s*\S\s+/;
const marker = /^(\s*)[●⏺•✦⎿]\s+/;

export function projectScreen(rows: readonly StyledRow[], cues: ProjectionCues): ScreenProjection {
  const texts = trimmed(rows.map(({ text }) => text.trimEnd()));
  const normalized = texts.join('\n').trimEnd();
  const said = conversation(texts, cues);
  const dialogRows = said.length > 0 ? said : normalized.split('\n');
  return {
    normalized,
    dialog: dialogRows.join('\n'),
    conversation: said.map((text) => text.trimStart()).join('\n'),
    head: dialogRows.slice(0, edgeRows).join('\n'),
    tail: dialogRows.slice(-edgeRows).join('\n'),
  };
}

/** Returns the rows without blank rows at both ends. */
function trimmed(texts: readonly string[]): string[] {
  const first = texts.findIndex((text) => text !== '');
  return first === -1 ? [] : texts.slice(first, texts.findLastIndex((text) => text !== '') + 1);
}

function conversation(texts: readonly string[], cues: ProjectionCues): string[] {
  const kept = texts
    .slice(bannerRows(texts), cues.composer ? composerRow(texts, cues) : texts.length)
    .filter((text) => !ornament.test(text) && !isWorkRow(text, cues.workRow))
    .map((text) => text.replace(frameEdges, '').trimEnd())
    .filter((text) => !emptyPrompt.test(text))
    .map((text) => text.replace(marker, '$1'));
  return trimmed(kept.filter((text, index) => text !== '' || kept[index - 1] !== ''));
}

/** Returns the first row of the composer, or of the rows right above it that are not conversation. */
function composerRow(texts: readonly string[], { draft, menu }: ProjectionCues): number {
  const typedIn = (text: string): string | null => {
    const match = promptRow.exec(text.replace(frameEdges, ''));
    return match && (match.groups?.typed ?? '');
  };
  // A menu below a draft may mark its choice with the same sign as the composer its row.
  const withDraft =
    draft === null ? -1 : texts.findLastIndex((text) => typedIn(text)?.trim() === draft.trim());
  const found = withDraft === -1 ? texts.findLastIndex((text) => typedIn(text) !== null) : withDraft;
  let end = found === -1 ? texts.length : found;
  const isChrome = (text: string) => ornament.test(text) || atTheRight.test(text);
  while (end > 0 && isChrome(texts[end - 1]!)) end -= 1;
  while (menu && end > 0 && texts[end - 1] !== '') end -= 1;
  return end;
}

/** Recognizes the work row: at the right, it may show more than its text. */
const isWorkRow = (text: string, workRow: string | null): boolean =>
  workRow !== null &&
  [text.trim(), text.replace(workMark, '')].some((said) => said.split(/\s{2,}/)[0] === workRow.trim());

/** Returns the number of rows of the tool's banner at the top: a box, or rows beside its logo. */
function bannerRows(texts: readonly string[]): number {
  const [first = ''] = texts;
  if (boxTop.test(first)) return texts.findIndex((text) => boxBottom.test(text)) + 1;
  if (!logo.test(first)) return 0;
  const blank = texts.indexOf('');
  return blank === -1 ? 0 : blank;
}
