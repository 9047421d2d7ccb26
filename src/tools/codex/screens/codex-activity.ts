import type { CodexProfile } from './codex-profile.js';
import {
  isFollowUpQueue,
  isRetry,
  isSteeringQueue,
  isToolCell,
  statusIn,
  waitsForAgent,
} from './codex-rows.js';
import type { CodexTurn } from './codex-turn.js';

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
