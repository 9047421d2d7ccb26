import { storedError } from '../run/record-error.js';
import type { TurnUsage } from '../run/turn-usage.js';
import type { TurnRow } from './turn-table.js';

export type TurnRecord = ReturnType<typeof toTurnRecord>;

/**
 * A turn as it is told of (docs/decisions.md#turn-records).
 * @param withAnswer false leaves the answer's text out, for lists.
 */
export function toTurnRecord(row: TurnRow, artifacts: string[], withAnswer: boolean) {
  return {
    turn_id: row.turn_id,
    origin: row.origin,
    request_id: row.request_id,
    tool: row.tool,
    state: row.state,
    started_at_utc: row.started_at_utc,
    ended_at_utc: row.ended_at_utc,
    delivery: { state: row.delivery_state, at_utc: row.delivery_at_utc, evidence: row.delivery_evidence },
    outcome: row.outcome,
    provider_session_id: row.provider_session_id,
    model: row.model,
    exit_code: row.exit_code,
    signal: row.signal,
    error: storedError(row.error_code, row.error_detail),
    answer:
      withAnswer && row.answer_text !== null
        ? { text: row.answer_text, truncated: row.answer_truncated === 1 }
        : null,
    usage: row.usage_json === null ? null : (JSON.parse(row.usage_json) as TurnUsage),
    artifacts,
  };
}
