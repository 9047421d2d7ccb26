import type { StyledRow } from '../../screen/styled-rows.js';
import {
  type CodexProfile,
  isAnswerRow,
  isBanner,
  isFailureRow,
  isFollowUpQueue,
  isPromptRow,
  isRetry,
  isSteeringQueue,
  isToolCell,
  isTurnEnd,
  isWorkedRule,
  promptGlyph,
  statusIn,
  waitsForAgent,
} from './codex-screen-rules.js';

/** The latest turn of the transcript, as far as it is to be seen above the composer. */
export interface CodexTurn {
  /** Its rows without the blank ones; its prompt comes first where it is to be seen. */
  rows: readonly StyledRow[];
  /** The first row of its prompt; null where that is out of sight. */
  prompt: string | null;
  /** What came after its last answer, failure or end: what Codex does now. */
  sinceSettled: readonly StyledRow[];
  answered: boolean;
  /** It has begun and shows no end. Always false where turns end without a word. */
  open: boolean;
  /** The row that says how long it took. */
  end: string | null;
}

/** So many rows are looked at where the prompt of the turn is out of sight. */
export const mostRowsWithoutPrompt = 24;

/** @param end the first row below the transcript. */
export function latestTurn(rows: readonly StyledRow[], end: number, profile: CodexProfile): CodexTurn {
  const boundary = rows.findLastIndex(
    (row, index) => index < end && (isPromptRow(row) || isBanner(row.text)),
  );
  const first = rows[boundary];
  const hasPrompt = first !== undefined && isPromptRow(first);
  const from = boundary < 0 ? Math.max(0, end - mostRowsWithoutPrompt) : boundary + (hasPrompt ? 0 : 1);
  const turn = rows.slice(from, end).filter((row) => row.text !== '');
  const settled = turn.findLastIndex(isSettled);
  const prompt = hasPrompt ? first.text.slice(promptGlyph.length).trim() : null;
  const ended = turn.findLast((row) => isTurnEnd(row.text) || isWorkedRule(row.text));
  return {
    rows: turn,
    prompt,
    sinceSettled: turn.slice(settled + 1),
    answered: turn.some((row) => isAnswerRow(row) || isTurnEnd(row.text)),
    open: profile.endsTurns && (hasPrompt || boundary < 0) && isOpen(turn, prompt),
    end: ended?.text.replaceAll('─', '').trim() ?? null,
  };
}

const isSettled = (row: StyledRow): boolean =>
  isAnswerRow(row) || isFailureRow(row.text) || isTurnEnd(row.text) || isWorkedRule(row.text);

// A command, of Codex or for the shell, is no turn, and what is said after the end of one belongs to none.
function isOpen(turn: readonly StyledRow[], prompt: string | null): boolean {
  const isCommand = /^[/!]/.test(prompt ?? '');
  return !isCommand && turn.length > 0 && !turn.some((row) => isTurnEnd(row.text) || isFailureRow(row.text));
}

/** What Codex does now, by one screen. */
export interface CodexActivity {
  reasons: readonly string[];
  /** Its own word on that. */
  status: string | null;
  /** Prompts wait until it is done or until its next tool call. */
  queued: boolean;
  notes: readonly string[];
}

const steering = 'Model interrupted to submit steer instructions.';

/** Only what came after the last answer tells of now: cells of tools stand in the transcript for good. */
export function codexActivity(turn: CodexTurn, profile: CodexProfile): CodexActivity {
  const texts = turn.sinceSettled.map((row) => row.text);
  const status = texts.map(statusIn).findLast((each) => each !== null) ?? null;
  const followUps = texts.some(isFollowUpQueue);
  const steered = texts.some(isSteeringQueue);
  const waits = texts.map(waitsForAgent).findLast((each) => each !== null) ?? false;
  const handsOver = status !== null && flattened(turn).includes(steering);
  const signs: readonly (readonly [string, boolean])[] = [
    ['status_row', status !== null],
    ['tool_cell', turn.sinceSettled.some(isToolCell)],
    ['collaboration_cell', profile.collaborates && waits],
    ['queued_follow_up', followUps],
    ['pending_input', steered],
    ['stream_retry_status', texts.some(isRetry)],
    ['steer_handoff', handsOver],
    ['open_turn', turn.open],
  ];
  return {
    reasons: signs.filter(([, seen]) => seen).map(([reason]) => reason),
    status,
    queued: followUps || steered,
    notes: handsOver ? ['steer_handoff_active'] : [],
  };
}

const flattened = (turn: CodexTurn): string =>
  turn.rows
    .map((row) => row.text)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
