import type { StyledRow } from '../../screen/styled-rows.js';
import {
  type ClaudeScreenRules,
  isAnswerRow,
  isBannerRow,
  isSentPromptRow,
  lastVisible,
  resultText,
  workText,
} from './claude-screen-rules.js';

/** The latest turn of the conversation: the rows below the last prompt. */
export interface LatestTurn {
  /** The prompt, or else the banner, is on the screen. */
  anchored: boolean;
  /** The line that describes the current work, without the sign before it. */
  work: { reason: 'thinking_line' | 'retry_line'; text: string } | null;
  /** An answer or a tool call stands below the last line with a duration. */
  unfinishedAnswer: boolean;
  /** The line with the duration, which comes when the turn has ended. */
  completion: string | null;
  hasAnswer: boolean;
  interrupted: boolean;
  /** The description of a failure in Claude Code's words, if it is the last thing that Claude Code said. */
  failure: string | null;
  /** Claude Code shows that a prompt waits in the queue. */
  queued: boolean;
  /** Claude Code's last note on how something ended, without the sign before it. */
  result: string | null;
}

/** The words with which Claude Code begins to report that the model could not be asked. */
const failureOpenings: readonly RegExp[] = [
  /^API Error\b/,
  /^Please run \/login\b/,
  /^Invalid API key\b/,
  /^Not logged in\b/,
  /^OAuth token (?:has expired|revoked)\b/,
  /^Credit balance is too low\b/,
  /^Prompt is too long\b/,
  /^Claude (?:AI )?usage limit reached\b/,
  /^You['’]ve (?:hit|reached) your .*\blimit\b/,
];
const isFailure = (text: string): boolean => failureOpenings.some((opening) => opening.test(text));

const thinking = /^\S.*…(?:\s*\(.*\)?)?$/;
const retrying = /\bretrying in [0-9]+ ?s/i;
const completed = /^\p{Lu}[\p{L}\p{M}'’-]* for (?:[0-9]+[smhd] ?)+(?:·.*)?$/u;

/** @param end the row below the conversation: the upper rule of the composer. */
export function readLatestTurn(
  rows: readonly StyledRow[],
  end: number,
  rules: ClaudeScreenRules,
): LatestTurn {
  const start = startOfTurn(rows, end);
  const region = rows.slice(start + 1, end);
  const texts = region.map((row) => row.text);
  const works = texts.map((text) => workText(text, rules));
  const results = region.map(resultText);

  const completion = works.findLastIndex((text) => text !== null && completed.test(text));
  const answer = texts.findLastIndex((text) => isAnswerRow(text, rules));
  const result = results.findLastIndex((text) => text !== null);
  const work = works.findLastIndex((text) => text !== null && (thinking.test(text) || retrying.test(text)));
  // The line on the current work stands below everything that was done; a similar line above an answer belongs to the
  // conversation.
  const workIsNow = work > Math.max(completion, answer);
  const lastResult = result > answer ? results[result]! : null;
  const lastWord = lastResult ?? texts[answer]?.slice(1).trim() ?? null;

  return {
    anchored: start >= 0,
    work: workIsNow
      ? { reason: retrying.test(works[work]!) ? 'retry_line' : 'thinking_line', text: works[work]! }
      : null,
    unfinishedAnswer: answer > completion,
    completion: completion < 0 ? null : works[completion]!,
    hasAnswer: texts.some((text) => isAnswerRow(text, rules) && text.length > 1),
    interrupted:
      lastResult !== null &&
      /^Interrupted(?: ·| by user|$)/.test(lastResult) &&
      !(workIsNow && work > result),
    failure: lastWord !== null && isFailure(lastWord) ? lastWord : null,
    queued: results.some((text) => text !== null && /^Queued(?: ·|$)/.test(text)),
    result: lastResult,
  };
}

function startOfTurn(rows: readonly StyledRow[], end: number): number {
  for (let at = end - 1; at >= 0; at -= 1) {
    const { text } = rows[at]!;
    if (isSentPromptRow(text) || isBannerRow(text)) return at;
  }
  return -1;
}

/** The footer of a working Claude Code; a narrow pane cuts it off. */
const interruptHint = /\besc to(?: i[a-z]*…?| ?…|$)/;

/** @param below the rows below the composer, or all rows if there is no composer. */
export const interruptHintIn = (below: readonly StyledRow[]): boolean =>
  lastVisible(below).some((row) => interruptHint.test(row.text));

/** Lists the signs that Claude Code is at work. */
export function workReasons(turn: LatestTurn, hintVisible: boolean): string[] {
  const line = turn.work === null ? [] : [turn.work.reason];
  const block = hintVisible && turn.unfinishedAnswer ? ['active_block'] : [];
  const reasons = [...line, ...block];
  return hintVisible && reasons.length === 0 ? ['interruptable_footer'] : reasons;
}
