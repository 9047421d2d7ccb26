import { randomUUID } from 'node:crypto';
import type { ApiFailure, Row } from './rows.js';

/** The end of a turn, for its result row. */
export interface ResultFacts {
  session_id: string;
  model: string;
  durationMs: number;
  modelCalls: number;
  usage: TokenCounts;
  /** For the whole conversation, this turn included. */
  total: TokenCounts;
  how:
    | { kind: 'answered'; text: string }
    | { kind: 'api_error'; failure: ApiFailure }
    | { kind: 'interrupted' };
}

export interface TokenCounts {
  input: number;
  output: number;
}

export function resultRow(end: ResultFacts): Row {
  return {
    duration_api_ms: end.durationMs,
    stop_reason: stopReason(end.how),
    session_id: end.session_id,
    total_cost_usd: cost(end.total),
    usage: usageOf(end.usage),
    modelUsage: modelUsage(end, end.total),
    permission_denials: [],
    terminal_reason: terminalReason(end.how),
    fast_mode_state: 'off',
    fast_mode_disabled_reason: 'sdk_opt_in_required',
    subagent_stats: {
      spawned: 0,
      requested: { background: 0, foreground: 0, unset: 0 },
      started_in_background: 0,
      max_depth: 0,
      spawned_by_subagents: 0,
      completed: 0,
      failed: 0,
      killed: { parent: 0, user: 0, system: 0 },
      refused: { depth_limit: 0, concurrency_limit: 0, budget: 0 },
      by_type: {},
    },
    safety_stops: 0,
    is_error: end.how.kind !== 'answered',
    num_turns: end.modelCalls,
    ...outcomeFields(end),
    type: 'result',
    duration_ms: end.durationMs,
    uuid: randomUUID(),
    queued_turn_count: 0,
    result_index: 0,
    model_usage_since_last_result: modelUsage(end, end.usage),
  };
}

function outcomeFields(end: ResultFacts): Row {
  const { how, durationMs } = end;
  if (how.kind === 'interrupted') {
    const note = '[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null';
    return { subtype: 'error_during_execution', errors: [note] };
  }
  if (how.kind === 'api_error') {
    const { status, type, text } = how.failure;
    return { subtype: 'success', api_error_status: status, api_error_type: type, result: text };
  }
  return {
    subtype: 'success',
    api_error_status: null,
    result: how.text,
    ttft_ms: durationMs,
    ttft_stream_ms: durationMs,
    time_to_request_ms: 0,
    first_content_frame_ms: durationMs,
  };
}

function stopReason(how: ResultFacts['how']): string | null {
  if (how.kind === 'interrupted') return null;
  return how.kind === 'answered' ? 'end_turn' : 'stop_sequence';
}

function terminalReason(how: ResultFacts['how']): string {
  if (how.kind === 'interrupted') return 'aborted_streaming';
  return how.kind === 'answered' ? 'completed' : 'api_error';
}

/** Builds the row that `--resume` of an unknown id prints: a result that repeats the id. */
export function lostSessionRow(sessionId: string, message: string): Row {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    session_id: sessionId,
    total_cost_usd: 0,
    usage: usageOf({ input: 0, output: 0 }),
    modelUsage: {},
    permission_denials: [],
    uuid: randomUUID(),
    errors: [message],
    result_index: 0,
  };
}

/** Builds the `usage` of a message or of a turn. */
export function usageOf(tokens: TokenCounts): Row {
  return {
    input_tokens: tokens.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: tokens.output,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    fallback_credit: null,
  };
}

function modelUsage(end: ResultFacts, tokens: TokenCounts): Row {
  if (end.how.kind === 'api_error') return {};
  return {
    [end.model]: {
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: cost(tokens),
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      thinkingTokens: 0,
      cacheCreationEphemeral5mInputTokens: 0,
      cacheCreationEphemeral1hInputTokens: 0,
      canonicalModel: end.model,
      provider: 'firstParty',
      costBasis: 'list',
    },
  };
}

// The stand-in costs nothing, but a price of zero would hide a field that is read incorrectly.
function cost(tokens: TokenCounts): number {
  return (tokens.input + 5 * tokens.output) / 1_000_000;
}
