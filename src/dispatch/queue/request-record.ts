import { firstCodePoints } from '../../foundation/code-points.js';
import { storedError } from '../../run/record-error.js';
import type { TurnRecord } from '../../turn/turn-record.js';
import type { ObstacleCode } from '../readiness.js';
import type { RequestRow } from './request-row.js';

/** Why an accepted request does not run yet; `detail` is a sentence. */
export interface WaitingReason {
  code: Exclude<ObstacleCode, 'queued'> | 'behind';
  detail: string;
}

export type RequestRecord = ReturnType<typeof toRequestRecord>;

/** Where an accepted request stands in the queue; null for every other one. */
export interface QueuePlace {
  position: number;
  reason: WaitingReason | null;
}

/** A request as `GET /v1/requests` shows it (docs/decisions.md#request-records). */
export function toRequestRecord(row: RequestRow, turn: TurnRecord | null, place: QueuePlace | null) {
  const result = parseObject(row.result_json);
  return {
    schema_version: 1 as const,
    request_id: row.request_id,
    request_kind: row.request_kind,
    state: row.state,
    accepted_at_utc: row.accepted_at_utc,
    started_at_utc: row.started_at_utc,
    finished_at_utc: row.finished_at_utc,
    managed_agent_instance_epoch: row.managed_agent_instance_epoch,
    queue_position: place?.position ?? null,
    waiting_reason: place?.reason ?? null,
    error: storedError(row.error_code, row.error_detail),
    superseded_by: textOrNull(result.coalesced_into_request_id),
    result: interruptResult(row, result),
    ...(result.delivered === false && { not_sent: textOrNull(result.detail) ?? 'It was not sent.' }),
    turn,
    prompt_preview: promptPreview(row),
  };
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;

function interruptResult(row: RequestRow, result: Record<string, unknown>) {
  if (row.request_kind !== 'interrupt' || row.state !== 'completed') return null;
  return {
    outcome: result.outcome === 'stopped' ? ('stopped' as const) : ('no_op' as const),
    turn_id: textOrNull(result.turn_id),
    signal: stopSignals.find((signal) => signal === result.signal) ?? null,
  };
}

function promptPreview(row: RequestRow): string | null {
  const prompt = parseObject(row.payload_json).prompt;
  return typeof prompt === 'string' ? firstCodePoints(prompt, 200) : null;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Rows that the gateway wrote are objects; a foreign or damaged one reads as empty. */
export function parseObject(json: string | null): Record<string, unknown> {
  if (json === null) return {};
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
