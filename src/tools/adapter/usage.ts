import { isRecord } from './json-value.js';

/** The numbers of a turn that are kept, under the names that they are kept by. */
const keptNames = [
  'input_tokens',
  'cached_input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'reasoning_output_tokens',
  'thoughts_token_count',
  'total_tokens',
  'tool_calls',
  'duration_ms',
  'total_cost_usd',
] as const;

const aliases: Readonly<Record<string, string>> = {
  cached_input_tokens: 'cached',
  thoughts_token_count: 'thoughtsTokenCount',
};

/**
 * What a tool reports that it used, under common names. An object with none of these names is kept as it is; anything
 * else becomes null.
 */
export function normalizeUsage(value: unknown): Record<string, unknown> | null {
  if (!isRecord(value)) return null;
  const usage: Record<string, unknown> = {};
  for (const key of keptNames) {
    const alias = aliases[key];
    const found = value[key] ?? (alias === undefined ? undefined : value[alias]);
    if (found !== undefined && found !== null) usage[key] = found;
  }
  return Object.keys(usage).length > 0 ? usage : value;
}

/** `345 input tokens, 20 output tokens`, for a completion that has no text of its own; '' when there is nothing. */
export function usageSummary(usage: Record<string, unknown> | null): string {
  const parts: string[] = [];
  for (const key of ['input_tokens', 'output_tokens', 'total_tokens', 'tool_calls'] as const) {
    const count = usage?.[key];
    if (typeof count === 'number') parts.push(`${count} ${key.replace('_', ' ')}`);
  }
  return parts.join(', ');
}
