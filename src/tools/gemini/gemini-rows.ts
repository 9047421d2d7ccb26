import { argumentSummary, diagnosticDraft, oneLine, passthroughDraft } from '../adapter/event-drafts.js';
import { recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { normalizeUsage, readableError, sessionIdOf, usageSummary } from '../adapter/row-facts.js';
import type { CanonicalDraft, CanonicalKind } from '../adapter/tool-adapter.js';

/** Translates a row of Gemini CLI's stream-json output into canonical events. */
export function readGeminiRow(row: Record<string, unknown>): CanonicalDraft[] {
  const type = textOf(row.type) ?? 'unknown';
  const draft = (kind: CanonicalKind, message: string, data: Record<string, unknown>): CanonicalDraft[] => [
    { kind, message, provider_event_type: type, data, raw_payload: row },
  ];
  switch (type) {
    case 'init': {
      const data = { session_id: sessionIdOf(row), model: textOf(row.model) };
      const model = data.model === null ? '' : `, model ${data.model}`;
      return draft('session', oneLine(`session ${data.session_id ?? 'without an id'}${model}`), data);
    }
    case 'message': {
      // Gemini CLI repeats the user's prompt as a row; only the assistant's rows are new.
      const text = textOf(row.content);
      if (row.role !== 'assistant' || text === null || text === '') return [];
      return draft('assistant', text, { text, delta: row.delta === true, role: 'assistant' });
    }
    case 'tool_use': {
      const name = textOf(row.tool_name) ?? 'tool';
      const summary = argumentSummary(row.parameters);
      return draft('action_request', oneLine(`${name}${summary}`), {
        action_id: textOf(row.tool_id),
        action_kind: 'tool_use',
        name,
        arguments: row.parameters ?? null,
        arguments_summary: summary,
      });
    }
    case 'tool_result': {
      const status = row.status === 'error' ? 'error' : 'success';
      const error = row.error ?? null;
      const errorText = visibleTextOf(recordOf(error)?.message);
      const output = visibleTextOf(row.output);
      const summary = oneLine((status === 'error' ? (errorText ?? output) : output) ?? status);
      const data = {
        action_id: textOf(row.tool_id),
        action_kind: 'tool_use',
        status,
        result_summary: summary,
        error,
      };
      return draft('action_result', summary, data);
    }
    case 'error': {
      const severity = row.severity === 'warning' ? 'warning' : 'error';
      return [diagnosticDraft(type, severity, visibleTextOf(row.message) ?? 'error without a message', row)];
    }
    case 'result':
      return [resultDraft(row)];
    default:
      return [passthroughDraft(type, row)];
  }
}

function resultDraft(row: Record<string, unknown>): CanonicalDraft {
  const error = row.error ?? null;
  const status = visibleTextOf(row.status) ?? (error === null ? 'success' : 'error');
  const usage = normalizeUsage(row.stats);
  return {
    kind: 'completion',
    message: status === 'success' ? successMessage(usage) : failureMessage(error),
    provider_event_type: 'result',
    data: { status, usage, error },
    raw_payload: row,
  };
}

function successMessage(usage: Record<string, unknown> | null): string {
  const used = usageSummary(usage);
  return used === '' ? 'success' : `success: ${used}`;
}

function failureMessage(error: unknown): string {
  const text = visibleTextOf(recordOf(error)?.message) ?? visibleTextOf(error);
  return text === null ? 'Gemini CLI reported that the turn failed, without a reason.' : readableError(text);
}
