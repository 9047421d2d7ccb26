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

/** The latest turn of the transcript, as far as it is visible above the composer. */
export interface CodexTurn {
  /** Its rows without the blank ones; its prompt comes first if it is visible. */
  rows: readonly StyledRow[];
  /** The first row of its prompt; null if that is not visible. */
  prompt: string | null;
  /** The rows after its last answer, failure or end: they show what Codex does now. */
  sinceSettled: readonly StyledRow[];
  answered: boolean;
  /** The turn has begun and shows no end. Always false for versions that show no end of a turn. */
  open: boolean;
  /** The row that gives its duration. */
  end: string | null;
}

/** The number of rows that are read if the prompt of the turn is not visible. */
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

// A command, of Codex or for the shell, is not a turn. Messages after the end of a turn belong to no turn.
function isOpen(turn: readonly StyledRow[], prompt: string | null): boolean {
  const isCommand = /^[/!]/.test(prompt ?? '');
  return !isCommand && turn.length > 0 && !turn.some((row) => isTurnEnd(row.text) || isFailureRow(row.text));
}

/** The current activity of Codex, by one screen. */
export interface CodexActivity {
  reasons: readonly string[];
  /** The text in which Codex describes it. */
  status: string | null;
  /** Prompts wait in Codex's queue until its turn ends or until its next tool call. */
  queued: boolean;
  notes: readonly string[];
}

const steering = 'Model interrupted to submit steer instructions.';

/** Reads the current activity from the rows after the last answer only: the rows of tools stay in the transcript. */
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
