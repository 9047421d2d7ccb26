import type { CanonicalDraft } from '../adapter/canonical-event.js';
import { isRecord, listOf, numberOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { oneLine } from '../adapter/one-line.js';
import { readableError } from '../adapter/readable-error.js';
import { normalizeUsage, usageSummary } from '../adapter/usage.js';

/** The end of a turn: Claude Code's `result` row. `data.status` is `success`, `error` or the tool's own subtype. */
export function claudeResultDraft(row: Record<string, unknown>): CanonicalDraft {
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
      // Such as the word of a session that fails after its turn is answered.
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

// `usage` is of this turn but all zeros after an interrupt. `modelUsage` has the numbers then, but of the whole
// conversation, so the count since the last result goes first.
function resultUsage(row: Record<string, unknown>): Record<string, unknown> | null {
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
