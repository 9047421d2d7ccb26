import { argumentSummary } from '../adapter/argument-summary.js';
import type { CanonicalDraft } from '../adapter/canonical-event.js';
import { isRecord, listOf, numberOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { oneLine } from '../adapter/one-line.js';
import { passthroughDraft } from '../adapter/passthrough-draft.js';
import { claudeResultDraft } from './claude-result.js';

/** What a row of Claude Code's stream-json output means. Tool results come in rows of type `user`. */
export function readClaudeRow(row: Record<string, unknown>): CanonicalDraft[] {
  switch (row.type) {
    case 'system':
      return [systemDraft(row)];
    case 'assistant':
    case 'user':
      return messageDrafts(row.type, row);
    case 'result':
      return [claudeResultDraft(row)];
    default:
      return [passthroughDraft(textOf(row.type) ?? 'unknown', row)];
  }
}

function messageDrafts(speaker: 'assistant' | 'user', row: Record<string, unknown>): CanonicalDraft[] {
  const blocks = listOf(recordOf(row.message)?.content);
  if (blocks === null) return [passthroughDraft(speaker, row)];
  // Everything in a user row but tool results is the prompt repeated, or a notice: one event for all of it.
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

// Claude Code prints an API error as if the assistant had said it; marked, so that it never counts as an answer.
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

// Retries can hold a turn for minutes: the event must say who waits for what.
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
