import { argumentSummary, oneLine, passthroughDraft } from '../adapter/event-drafts.js';
import { isRecord, listOf, numberOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { normalizeUsage, pieceDraft, readableError, usageSummary } from '../adapter/row-facts.js';
import type { CanonicalDraft } from '../adapter/tool-adapter.js';

/** Translates a row of Claude Code's stream-json output into canonical events. Tool results come in rows of type `user`. */
export function readClaudeRow(row: Record<string, unknown>): CanonicalDraft[] {
  switch (row.type) {
    case 'system':
      return [systemDraft(row)];
    case 'assistant':
    case 'user':
      return messageDrafts(row.type, row);
    case 'stream_event':
      return pieceDrafts(row);
    case 'result':
      return [claudeResultDraft(row)];
    default:
      return [passthroughDraft(textOf(row.type) ?? 'unknown', row)];
  }
}

/** Reads a row of `--include-partial-messages`: only pieces of text count, of the agent itself. */
function pieceDrafts(row: Record<string, unknown>): CanonicalDraft[] {
  const delta = recordOf(recordOf(row.event)?.delta);
  const text = delta?.type === 'text_delta' ? textOf(delta.text) : null;
  return text === null || text === '' || textOf(row.parent_tool_use_id) !== null
    ? []
    : [pieceDraft('stream_event.text_delta', text)];
}

function messageDrafts(speaker: 'assistant' | 'user', row: Record<string, unknown>): CanonicalDraft[] {
  const blocks = listOf(recordOf(row.message)?.content);
  if (blocks === null) return [passthroughDraft(speaker, row)];
  // A user row without tool results is the repeated prompt, or a notice: it becomes one event.
  if (speaker === 'user' && !blocks.some((block) => recordOf(block)?.type === 'tool_result')) {
    return [passthroughDraft('user', row)];
  }
  return blocks.flatMap((block) => (isRecord(block) ? blockDrafts(speaker, block, row) : []));
}

function blockDrafts(
  speaker: 'assistant' | 'user',
  block: Record<string, unknown>,
  row: Record<string, unknown>,
): CanonicalDraft[] {
  const blockType = textOf(block.type) ?? 'block';
  const providerEventType = `${speaker}.${blockType}`;
  const parent = { parent_tool_use_id: textOf(row.parent_tool_use_id) };
  const draft = (
    kind: CanonicalDraft['kind'],
    message: string,
    data: Record<string, unknown>,
  ): CanonicalDraft => ({
    kind,
    message,
    provider_event_type: providerEventType,
    data: { ...data, ...parent },
    raw_payload: block,
  });

  if (blockType === 'tool_result') {
    const status = block.is_error === true ? 'error' : 'success';
    const summary = oneLine(toolResultText(block.content));
    const data = {
      action_id: textOf(block.tool_use_id),
      action_kind: 'tool_use',
      status,
      result_summary: summary,
      is_error: status === 'error',
    };
    return [draft('action_result', summary === '' ? status : summary, data)];
  }
  if (speaker === 'assistant' && blockType === 'text') {
    const text = textOf(block.text) ?? '';
    if (text === '') return [];
    const model = textOf(recordOf(row.message)?.model);
    return [draft('assistant', text, { text, model, ...apiErrorData(row) })];
  }
  if (speaker === 'assistant' && blockType === 'thinking') {
    const text = textOf(block.thinking) ?? '';
    return [draft('reasoning', oneLine(text), { text, signature: textOf(block.signature) })];
  }
  if (speaker === 'assistant' && blockType === 'tool_use') {
    const name = textOf(block.name) ?? 'tool';
    const summary = argumentSummary(block.input);
    const data = {
      action_id: textOf(block.id),
      action_kind: 'tool_use',
      name,
      arguments: block.input ?? null,
      arguments_summary: summary,
    };
    return [draft('action_request', oneLine(`${name}${summary}`), data)];
  }
  return [passthroughDraft(providerEventType, block)];
}

// Claude Code prints an API error as if the assistant had said it. It is marked, so that it never counts as an answer.
function apiErrorData(row: Record<string, unknown>): Record<string, unknown> {
  return row.is_api_error_message === true ? { api_error: textOf(row.error) ?? 'unknown' } : {};
}

function toolResultText(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = (listOf(content) ?? []).map((block) => {
    const record = recordOf(block);
    return textOf(record?.text) ?? (record === null ? '' : `[${textOf(record.type) ?? 'block'}]`);
  });
  return texts.join('\n');
}

function systemDraft(row: Record<string, unknown>): CanonicalDraft {
  const subtype = textOf(row.subtype) ?? 'unknown';
  const sentence =
    subtype === 'api_retry'
      ? apiRetrySentence(row)
      : (visibleTextOf(row.summary) ??
        visibleTextOf(row.description) ??
        visibleTextOf(row.message) ??
        visibleTextOf(row.status) ??
        subtype);
  return {
    kind: 'progress',
    message: oneLine(sentence),
    provider_event_type: `system.${subtype}`,
    data: {
      subtype,
      task_id: textOf(row.task_id),
      status: textOf(row.status),
      summary: textOf(row.summary),
      last_tool_name: textOf(row.last_tool_name),
      usage: row.usage ?? null,
      ...(subtype === 'api_retry' ? apiRetryData(row) : {}),
    },
    raw_payload: row,
  };
}

// Retries can delay a turn for minutes, so the event has to say what is waited for.
function apiRetrySentence(row: Record<string, unknown>): string {
  const { error_status, error, attempt, max_retries, retry_delay_ms } = apiRetryData(row);
  const what = `API error ${error_status ?? ''} ${error === null ? '' : `(${error})`}`;
  return `${what}, retry ${attempt ?? '?'} of ${max_retries ?? '?'} in ${retry_delay_ms ?? '?'} ms`;
}

function apiRetryData(row: Record<string, unknown>) {
  return {
    attempt: numberOf(row.attempt),
    max_retries: numberOf(row.max_retries),
    retry_delay_ms: numberOf(row.retry_delay_ms),
    error_status: numberOf(row.error_status),
    error: textOf(row.error),
  };
}

/** Reads the end of a turn: Claude Code's `result` row. `data.status` is `success`, `error` or the tool's own subtype. */
function claudeResultDraft(row: Record<string, unknown>): CanonicalDraft {
  const status = row.is_error === true ? 'error' : (visibleTextOf(row.subtype) ?? 'success');
  const usage = resultUsage(row);
  return {
    kind: 'completion',
    message: status === 'success' ? successMessage(row, usage) : failureMessage(row),
    provider_event_type: 'result',
    data: {
      status,
      subtype: textOf(row.subtype),
      terminal_reason: textOf(row.terminal_reason),
      result_text: textOf(row.result),
      stop_reason: textOf(row.stop_reason),
      duration_ms: numberOf(row.duration_ms),
      duration_api_ms: numberOf(row.duration_api_ms),
      total_cost_usd: numberOf(row.total_cost_usd),
      num_turns: numberOf(row.num_turns),
      // True, for example, for the result row of a session that fails after its turn was answered.
      of_no_turn: numberOf(row.num_turns) === 0,
      usage,
      permission_denials: row.permission_denials ?? null,
      api_error_status: numberOf(row.api_error_status),
      errors: row.errors ?? null,
    },
    raw_payload: row,
  };
}

function successMessage(row: Record<string, unknown>, usage: Record<string, unknown> | null): string {
  const text = visibleTextOf(row.result);
  if (text !== null) return oneLine(text);
  const used = usageSummary(usage);
  return used === '' ? 'success' : `success: ${used}`;
}

const subtypeSentences: ReadonlyMap<string, string> = new Map([
  ['error_max_turns', 'The turn reached its limit of model calls.'],
  ['error_max_budget_usd', 'The turn reached its cost limit.'],
  ['error_during_execution', 'Claude Code failed while it was running the turn.'],
]);

function failureMessage(row: Record<string, unknown>): string {
  const text = visibleTextOf(row.result);
  if (text !== null) return readableError(text);
  // Entries such as "[ede_diagnostic] …" are Claude Code's notes to itself.
  const errors = (listOf(row.errors) ?? []).filter(
    (error): error is string =>
      visibleTextOf(error) !== null && !String(error).startsWith('[ede_diagnostic]'),
  );
  if (errors.length > 0) return readableError(errors.join('; '));
  if (textOf(row.terminal_reason)?.startsWith('aborted')) return 'The turn was interrupted.';
  const status = numberOf(row.api_error_status);
  if (status !== null) return `API error ${status}.`;
  const subtype = textOf(row.subtype) ?? '';
  return (
    subtypeSentences.get(subtype) ??
    `Claude Code reported that the turn failed (${oneLine(subtype || 'error')}).`
  );
}

/** The tokens of the turn and, where the row has it, its cost: `total_cost_usd` of the row itself is that of the whole conversation. */
function resultUsage(row: Record<string, unknown>): Record<string, unknown> | null {
  const tokens = resultTokens(row);
  const cost = costOf(row.model_usage_since_last_result);
  return cost === null ? tokens : { ...tokens, total_cost_usd: cost };
}

function costOf(value: unknown): number | null {
  const costs = Object.values(recordOf(value) ?? {}).map((model) => numberOf(recordOf(model)?.costUSD));
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 || known.length < costs.length
    ? null
    : known.reduce((sum, cost) => sum + cost, 0);
}

// `usage` counts this turn, but is all zeros after an interrupt. `modelUsage` has the numbers then, but for the whole
// conversation, so the count since the last result is preferred.
function resultTokens(row: Record<string, unknown>): Record<string, unknown> | null {
  const usage = recordOf(row.usage);
  if (usage !== null && hasTokens(usage)) return normalizeUsage(usage);
  const perModel =
    sumOverModels(row.model_usage_since_last_result) ??
    sumOverModels(row.modelUsage) ??
    sumOverModels(row.model_usage);
  return perModel ?? normalizeUsage(usage);
}

function hasTokens(usage: Record<string, unknown>): boolean {
  return Object.entries(usage).some(
    ([key, value]) => key.endsWith('_tokens') && typeof value === 'number' && value > 0,
  );
}

const modelUsageKeys = {
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cacheReadInputTokens: 'cache_read_input_tokens',
  cacheCreationInputTokens: 'cache_creation_input_tokens',
} as const;

function sumOverModels(value: unknown): Record<string, unknown> | null {
  const models = Object.values(recordOf(value) ?? {}).filter(isRecord);
  if (models.length === 0) return null;
  const sums: Record<string, unknown> = {};
  for (const [theirs, ours] of Object.entries(modelUsageKeys)) {
    sums[ours] = models.reduce((sum, model) => sum + (numberOf(model[theirs]) ?? 0), 0);
  }
  return sums;
}
