import type { CanonicalDraft, CanonicalKind } from '../adapter/canonical-event.js';
import { diagnosticDraft } from '../adapter/diagnostic-draft.js';
import { listOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { oneLine } from '../adapter/one-line.js';
import { passthroughDraft } from '../adapter/passthrough-draft.js';
import { readableError } from '../adapter/readable-error.js';
import { sessionIdOf } from '../adapter/session-id.js';
import { normalizeUsage, usageSummary } from '../adapter/usage.js';
import { actionItems, itemAction, itemOutcome } from './codex-items.js';

/** What a row of `codex exec --json` means. */
export function readCodexRow(row: Record<string, unknown>): CanonicalDraft[] {
  const type = textOf(row.type) ?? 'unknown';
  const draft = (kind: CanonicalKind, message: string, data: Record<string, unknown>): CanonicalDraft[] => [
    { kind, message, provider_event_type: type, data, raw_payload: row },
  ];
  switch (type) {
    case 'thread.started': {
      const id = sessionIdOf(row);
      return draft('session', oneLine(`session ${id ?? 'without an id'}`), { session_id: id });
    }
    case 'turn.started':
      return draft('progress', 'turn started', { summary: 'turn started' });
    case 'turn.completed': {
      const usage = normalizeUsage(row.usage);
      const used = usageSummary(usage);
      // Codex counts over the whole conversation, not over this turn.
      const data = { status: 'success', usage, usage_scope: 'conversation' };
      return draft('completion', used === '' ? 'success' : `success: ${used} in this conversation`, data);
    }
    case 'turn.failed': {
      const error = row.error ?? null;
      const text = visibleTextOf(recordOf(error)?.message) ?? visibleTextOf(error);
      const message =
        text === null ? 'Codex reported that the turn failed, without a reason.' : readableError(text);
      return draft('completion', message, { status: 'error', usage: null, error });
    }
    case 'error':
      return [diagnosticDraft(type, 'error', visibleTextOf(row.message) ?? 'error without a message', row)];
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return itemDrafts(type, row);
    default:
      return [passthroughDraft(type, row)];
  }
}

function itemDrafts(phase: string, row: Record<string, unknown>): CanonicalDraft[] {
  const item = recordOf(row.item);
  if (item === null) return [diagnosticDraft(phase, 'warning', `${phase} row without an item`, row)];
  const itemType = textOf(item.type) ?? 'item';
  const providerEventType = `${phase}.${itemType}`;
  const item_id = textOf(item.id);
  const started = phase === 'item.started';
  const draft = (kind: CanonicalKind, message: string, data: Record<string, unknown>): CanonicalDraft[] => [
    { kind, message, provider_event_type: providerEventType, data, raw_payload: row },
  ];

  if (itemType === 'agent_message' || itemType === 'reasoning') {
    const text = visibleTextOf(item.text);
    if (started || text === null) return [];
    if (itemType === 'agent_message') return draft('assistant', text, { text, item_id });
    return draft('reasoning', oneLine(text), { text, item_id });
  }
  if (itemType === 'todo_list') {
    if (started) return [];
    const summary = todoSummary(item.items);
    return draft('progress', summary, { summary, item_id, items: item.items ?? null });
  }
  if (itemType === 'error') {
    // Also seen in turns that succeed (metadata of an unknown model): a remark, which never decides how a turn ended.
    const text = visibleTextOf(item.message) ?? visibleTextOf(item.text) ?? 'error without a message';
    return [diagnosticDraft(providerEventType, 'error', text, row, { item_id })];
  }
  if (actionItems.has(itemType)) return actionDrafts(started, phase, itemType, item, draft);
  return [passthroughDraft(providerEventType, row)];
}

function actionDrafts(
  started: boolean,
  phase: string,
  itemType: string,
  item: Record<string, unknown>,
  draft: (kind: CanonicalKind, message: string, data: Record<string, unknown>) => CanonicalDraft[],
): CanonicalDraft[] {
  const action = itemAction(item);
  const headline = oneLine(`${action.name}${action.summary}`);
  const request = {
    action_id: textOf(item.id),
    action_kind: itemType,
    name: action.name,
    arguments_summary: action.summary,
    ...action.extra,
  };
  if (started) return draft('action_request', headline, request);
  if (phase === 'item.updated' && item.status === 'in_progress') {
    return itemType === 'collab_tool_call'
      ? draft('progress', headline, { summary: headline, ...request })
      : [];
  }
  const outcome = itemOutcome(item);
  const data = { ...request, ...outcome.extra, status: outcome.status, result_summary: outcome.summary };
  return draft('action_result', outcome.summary, data);
}

function todoSummary(value: unknown): string {
  const items = listOf(value) ?? [];
  const done = items.filter((item) => recordOf(item)?.completed === true).length;
  const next = items.find((item) => recordOf(item)?.completed !== true);
  const nextText = textOf(recordOf(next)?.text);
  return oneLine(`${done} of ${items.length} steps done${nextText === null ? '' : `, next: ${nextText}`}`);
}
