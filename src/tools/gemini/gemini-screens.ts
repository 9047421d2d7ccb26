import { type Dialog, type DialogKind, dialogOf, numberedChoices } from '../screen/dialog.js';
import { type FrameSignals, nothingRead, type ScreenReading, signalsOf } from '../screen/frame-signals.js';
import {
  newerVersionNote,
  type ScreenProfile,
  type ToolScreens,
  versionChoice,
} from '../screen/screen-profile.js';
import { runAt, type StyledRow } from '../screen/styled-rows.js';
import {
  findGeminiComposer,
  type GeminiComposer,
  type GeminiProfile,
  geminiFallback,
  geminiProfiles,
} from './gemini-composer.js';

const geminiDetector = 'gemini_cli';

/** Reads a frame of Gemini CLI. One frame is enough, because a status row is shown for as long as the agent works. */
function detectGemini(
  rows: readonly StyledRow[],
  profile: GeminiProfile,
  notes: readonly string[],
): FrameSignals {
  const composer = findGeminiComposer(rows, profile);
  const reading =
    composer === null
      ? { ...nothingRead, dialog: findGeminiDialog(rows.map((row) => row.text)) }
      : withComposer(rows, composer);
  const detector = { name: geminiDetector, version: profile.version };
  return signalsOf(detector, rows, { ...reading, notes: [...notes, ...reading.notes] });
}

function withComposer(rows: readonly StyledRow[], composer: GeminiComposer): ScreenReading {
  const turn = latestGeminiTurn(rows, composer.status);
  const status = rows
    .slice(composer.status, composer.rule)
    .map((row) => statusIn(row.text))
    .find((each) => each !== null);
  return {
    composer,
    dialog: null,
    overlay: hasMenu(composer) ? 'slash_command' : null,
    queued: turn.queued,
    activeReasons: status === undefined ? [] : ['status_row'],
    interrupted: turn.outcome === 'interrupted',
    knownFailure: turn.requestFailed,
    currentError: turn.outcome === 'failed',
    answered: turn.outcome === 'answered',
    completionMarker: false,
    statusLine: status ?? turn.message,
    chatContext: { state: 'current', diagnostic: null },
    notes: status === undefined && turn.outcome === 'failed' ? ['current_error_present'] : [],
  };
}

/** Returns the status text of Gemini CLI, such as `Thinking... (esc to cancel, 3s)`; null for any other row. */
function statusIn(text: string): string | null {
  return /^ (?:[\u2800-\u28ff] )?(\S.*\(esc to cancel\b[^()]*\))/.exec(text)?.[1] ?? null;
}

/** Recognizes a menu: it stands between the composer and the footer, and the entry that Enter would choose is highlighted. */
function hasMenu({ text, below }: GeminiComposer): boolean {
  const entry = below.find((row) => row.text !== '');
  return /^[/@]|\s@/.test(text) && entry !== undefined && runAt(entry, 1)?.background !== null;
}

/** The reader of Gemini CLI's terminal screens. */
export const geminiScreens: ToolScreens = {
  name: geminiDetector,
  processNames: ['gemini'],
  // Gemini CLI 0.61.0 takes an Enter from 20 ms after a text on (10 ms: one of two), and a letter from 100 ms after Escape (50
  // ms: two of three).
  keyPauses: { text: 100, escape: 250 },
  profileFor(version) {
    const choice = versionChoice(version, geminiProfiles);
    if (choice === null) return screenProfile(geminiFallback, ['fallback_detector']);
    return screenProfile(choice.value, choice.newerThanKnown ? [newerVersionNote] : []);
  },
};

const screenProfile = (profile: GeminiProfile, notes: readonly string[]): ScreenProfile => ({
  version: profile.version,
  detect: (frame) => detectGemini(frame.rows, profile, notes),
});

/** The latest turn of the transcript, as far as it is visible above the composer. */
interface GeminiTurn {
  /** Decided by the last row of an answer, of a failure or of an interrupt. */
  outcome: 'answered' | 'failed' | 'interrupted' | null;
  /** The request to the model failed, and not, for example, a command of the user. */
  requestFailed: boolean;
  /** The text of the deciding row, without its glyph. */
  message: string | null;
  /** Prompts wait until the turn has ended. */
  queued: boolean;
}

const isPromptRow = (text: string): boolean => /^ [>*!] \S/.test(text);
const isBanner = (text: string): boolean => /(?:^|\s)Gemini CLI v[0-9]/.test(text);
const isQueueHeading = (text: string): boolean => /^ {2}Queued \(press .+ to edit\):$/.test(text);
const isInterruption = (text: string): boolean => /^ℹ Request cancelled\b/.test(text);
const isFailure = (text: string): boolean => text.startsWith('✕ ');
// A box is a tool call: a finished one counts as an answer until an answer follows.
const isAnswer = (text: string): boolean => /^✦ |^\s?│ ✓ /.test(text);

/** @param end the first row below the transcript. */
function latestGeminiTurn(rows: readonly StyledRow[], end: number): GeminiTurn {
  const boundary = rows.findLastIndex(
    ({ text }, index) => index < end && (isPromptRow(text) || isBanner(text)),
  );
  const texts = rows.slice(boundary + 1, end).map((row) => row.text);
  const decides = texts.findLastIndex((text) => isAnswer(text) || isFailure(text) || isInterruption(text));
  const deciding = texts[decides] ?? '';
  // If neither a prompt nor a banner is above, the screen begins within an answer.
  const isCutOff = boundary < 0 && texts.some((text) => text !== '');
  return {
    outcome: outcomeOf(deciding) ?? (isCutOff ? 'answered' : null),
    requestFailed:
      isFailure(deciding) &&
      (deciding.startsWith('✕ [API Error') ||
        texts.slice(decides).some((text) => text.startsWith('ℹ This request failed'))),
    message: isFailure(deciding) || isInterruption(deciding) ? deciding.slice(2) : null,
    queued: isQueued(texts),
  };
}

function outcomeOf(deciding: string): GeminiTurn['outcome'] {
  if (isFailure(deciding)) return 'failed';
  if (isInterruption(deciding)) return 'interrupted';
  return isAnswer(deciding) ? 'answered' : null;
}

/** Recognizes queued prompts: they stand, indented, right above the status rows. */
function isQueued(texts: readonly string[]): boolean {
  const heading = texts.findLastIndex(isQueueHeading);
  return heading >= 0 && texts.slice(heading).every((text) => text === '' || text.startsWith(' '));
}

const markers = '●';
/** The number of rows that may stand below the box: status rows, the footer. */
const mostRowsBelow = 4;

const isBoxEnd = (text: string): boolean => /^\s?╰─+╯$/.test(text);
const isInBox = (text: string): boolean => /^\s?│/.test(text);

const kinds: readonly (readonly [DialogKind, RegExp])[] = [
  [
    'permission',
    /\ballow once\b|\ballow for this session\b|\ballow execution\b|\bapply this change\b|\bdo you want to proceed\b/i,
  ],
  ['trust', /\bdo you trust\b|\btrust (?:this|the|parent) folder\b/i],
  ['login', /\bhow would you like to authenticate\b|\bsign in with\b|\bAPI key\b/i],
  ['update', /\bupdate (?:available|now)\b|\bnew version\b/i],
];

/** Finds the box with choices at the bottom of a screen, in the place of the composer; null if there is none. */
export function findGeminiDialog(texts: readonly string[]): Dialog | null {
  const end = texts.findLastIndex(isBoxEnd);
  const below = texts.slice(end + 1).filter((text) => text !== '');
  if (end < 0 || below.length > mostRowsBelow || !below.every((text) => text.startsWith(' '))) return null;
  const start = texts.findLastIndex((text, index) => index < end && !isInBox(text));
  const content = texts.slice(start + 1, end).map(withoutBorders);
  if (numberedChoices(content, markers) === null) return null;
  const text = content.join(' ').replaceAll(/\s+/g, ' ');
  const kind = kinds.find(([, cue]) => cue.test(text))?.[0] ?? 'selection';
  return dialogOf(kind, trimmedRows(content), markers);
}

const withoutBorders = (row: string): string =>
  row
    .replace(/^\s?│ ?/, '')
    .replace(/│$/, '')
    .trimEnd();

function trimmedRows(rows: readonly string[]): readonly string[] {
  const first = rows.findIndex((row) => row !== '');
  const last = rows.findLastIndex((row) => row !== '');
  return rows.slice(first, last + 1);
}
