import type { StyledRow } from '../../screen/styled-rows.js';

/** The latest turn of the transcript, as far as it is to be seen above the composer. */
export interface GeminiTurn {
  /** Its last row of an answer, of a failure or of an interrupt decides how it stands. */
  outcome: 'answered' | 'failed' | 'interrupted' | null;
  /** The request itself failed, and not, for example, a command of the user's. */
  requestFailed: boolean;
  /** What the row says that decides, without its glyph. */
  message: string | null;
  /** Prompts wait until the turn is over. */
  queued: boolean;
}

const isPromptRow = (text: string): boolean => /^ [>*!] \S/.test(text);
const isBanner = (text: string): boolean => /(?:^|\s)Gemini CLI v[0-9]/.test(text);
const isQueueHeading = (text: string): boolean => /^ {2}Queued \(press .+ to edit\):$/.test(text);
const isInterruption = (text: string): boolean => /^ℹ Request cancelled\b/.test(text);
const isFailure = (text: string): boolean => text.startsWith('✕ ');
// A box is a tool that was called: a done one counts as an answer until one follows.
const isAnswer = (text: string): boolean => /^✦ |^\s?│ ✓ /.test(text);

/** @param end the first row below the transcript. */
export function latestGeminiTurn(rows: readonly StyledRow[], end: number): GeminiTurn {
  const boundary = rows.findLastIndex(
    ({ text }, index) => index < end && (isPromptRow(text) || isBanner(text)),
  );
  const texts = rows.slice(boundary + 1, end).map((row) => row.text);
  const decides = texts.findLastIndex((text) => isAnswer(text) || isFailure(text) || isInterruption(text));
  const deciding = texts[decides] ?? '';
  // Without a prompt or a banner above, the screen begins within an answer.
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

/** What is queued stands, indented, right above the rows that say what goes on. */
function isQueued(texts: readonly string[]): boolean {
  const heading = texts.findLastIndex(isQueueHeading);
  return heading >= 0 && texts.slice(heading).every((text) => text === '' || text.startsWith(' '));
}
