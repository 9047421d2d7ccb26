import { argumentSummary, diagnosticDraft, oneLine, passthroughDraft } from '../adapter/event-drafts.js';
import { listOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { normalizeUsage, readableError, sessionIdOf, usageSummary } from '../adapter/row-facts.js';
import type { CanonicalDraft, CanonicalKind } from '../adapter/tool-adapter.js';

/** Translates a row of `codex exec --json` into canonical events. */
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
    // This row also occurs in turns that succeed (metadata of an unknown model): it is a remark and never decides how a turn
    // ended.
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

/** The types of items in which Codex acts, as opposed to items in which it says something. */
const actionItems: ReadonlySet<string> = new Set([
  'command_execution',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
  'file_change',
]);

/** An action in readable form: its name, its details on one line, and the fields that only this kind has. */
interface ItemAction {
  name: string;
  summary: string;
  extra: Record<string, unknown>;
}

function itemAction(item: Record<string, unknown>): ItemAction {
  switch (item.type) {
    case 'command_execution': {
      const command = textOf(item.command) ?? '';
      return { name: 'command', summary: argumentSummary(command), extra: { command } };
    }
    case 'mcp_tool_call': {
      const name = `${textOf(item.server) ?? 'mcp'}.${textOf(item.tool) ?? 'tool'}`;
      const args = item.arguments ?? null;
      return { name, summary: argumentSummary(args), extra: { arguments: args } };
    }
    case 'collab_tool_call': {
      const extra = {
        tool: textOf(item.tool),
        sender_thread_id: textOf(item.sender_thread_id),
        receiver_thread_ids: item.receiver_thread_ids ?? null,
        prompt: textOf(item.prompt),
        agents_states: item.agents_states ?? null,
      };
      return { name: extra.tool ?? 'collab', summary: argumentSummary(extra.prompt), extra };
    }
    case 'web_search': {
      const query = textOf(item.query) ?? '';
      return { name: 'web_search', summary: argumentSummary(query), extra: { query } };
    }
    default: {
      const changes = listOf(item.changes) ?? [];
      return { name: 'file_change', summary: argumentSummary(changes.map(changeText)), extra: { changes } };
    }
  }
}

function changeText(change: unknown): string {
  const record = recordOf(change);
  return `${textOf(record?.kind) ?? 'change'} ${textOf(record?.path) ?? '?'}`;
}

/** The end of an action: `success` or `error`, its result on one line, and the fields that only this kind has. */
interface ItemOutcome {
  status: 'success' | 'error';
  summary: string;
  extra: Record<string, unknown>;
}

function itemOutcome(item: Record<string, unknown>): ItemOutcome {
  const provider_status = textOf(item.status);
  const failed = provider_status === 'failed' || provider_status === 'declined';
  if (item.type === 'command_execution') {
    const exit_code = item.exit_code ?? null;
    const status = failed || (typeof exit_code === 'number' && exit_code !== 0) ? 'error' : 'success';
    const output = visibleTextOf(item.aggregated_output);
    const summary = output ?? (exit_code === null ? status : `exit code ${exit_code}`);
    return { status, summary: oneLine(summary), extra: { provider_status, exit_code } };
  }
  const error = item.error ?? null;
  const status = failed || error !== null ? 'error' : 'success';
  const errorText = textOf(error) ?? textOf(recordOf(error)?.message) ?? (error === null ? null : 'error');
  const summary = errorText ?? resultText(item.result) ?? provider_status ?? status;
  return { status, summary: oneLine(summary), extra: { provider_status, error } };
}

// MCP results hold a list of content blocks.
function resultText(result: unknown): string | null {
  if (typeof result === 'string') return result;
  const blocks = listOf(recordOf(result)?.content);
  if (blocks === null) return result === undefined || result === null ? null : argumentSummary(result);
  const texts = blocks.map((block) => textOf(recordOf(block)?.text) ?? '').filter((text) => text !== '');
  return texts.length > 0 ? texts.join(' ') : null;
}
