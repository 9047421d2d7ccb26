export type RequestKind = 'submit_prompt' | 'interrupt' | 'mail_notifier_prompt';
export type RequestState = 'accepted' | 'running' | 'completed' | 'failed' | 'coalesced' | 'cancelled';

export const isFinal = (state: RequestState): boolean => state !== 'accepted' && state !== 'running';

/** A row of `gateway_requests` and its place in the order of insertion (docs/decisions.md#order). */
export interface RequestRow {
  rowid: number;
  request_id: string;
  request_kind: RequestKind;
  payload_json: string;
  state: RequestState;
  accepted_at_utc: string;
  started_at_utc: string | null;
  finished_at_utc: string | null;
  managed_agent_instance_epoch: number;
  error_detail: string | null;
  result_json: string | null;
  /** From the table `request_errors`. */
  error_code: string | null;
}

/** The payload of a `submit_prompt` row: all four keys, nulls included (docs/decisions.md#queue-tables). */
export interface PromptPayload {
  prompt: string;
  turn_id: string | null;
  chat_session: {
    mode: 'auto' | 'new' | 'current' | 'tool_last_or_new' | 'exact';
    id?: string | null;
  } | null;
  execution: { model: { name?: string | null; reasoning?: { level: number } | null } } | null;
}
