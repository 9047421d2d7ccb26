import { existsSync } from 'node:fs';
import type { components } from '../../../generated/managed-agent/types.js';
import { returncodeOf } from '../../run/agent-exit.js';
import type { CanonicalEvent } from '../../tools/adapter/canonical-event.js';
import { sentenceOf, statusOf } from '../inspection/turn-words.js';
import type { FoundTurn } from '../turns/turn-reader.js';

type AgentTurn = components['schemas']['AgentTurn'];
type AgentTurnEvent = components['schemas']['AgentTurnEvent'];

/** A turn as `GET …/turns/{turn_id}` shows it. The paths are told once nothing is written there any more. */
export function toAgentTurn(trackedAgentId: string, { row, files }: FoundTurn): AgentTurn {
  const status = statusOf(row);
  const pathOf = (path: string): string | null => (status !== 'active' && existsSync(path) ? path : null);
  return {
    tracked_agent_id: trackedAgentId,
    turn_id: row.turn_id,
    turn_index: row.turn_index,
    status,
    started_at_utc: row.started_at_utc,
    completed_at_utc: row.ended_at_utc,
    returncode: returncodeOf(row.exit_code, row.signal),
    completion_source: null,
    stdout_path: pathOf(files.stdout),
    stderr_path: pathOf(files.stderr),
    status_path: pathOf(files.exitCode),
    history_summary: sentenceOf(row.turn_id, status, row.error_detail),
    error: row.error_detail,
  };
}

/** An event of a turn; the tool counts turns in its own way, so the number is the record's. */
export const toTurnEvent = (event: CanonicalEvent, turnIndex: number): AgentTurnEvent => ({
  kind: event.kind,
  message: event.message,
  turn_index: turnIndex,
  timestamp_utc: event.timestamp_utc,
  payload: {
    provider: event.provider,
    session_id: event.session_id,
    data: event.data,
    provider_event_type: event.provider_event_type,
    raw: event.raw_payload,
  },
});
