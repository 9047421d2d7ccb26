import { argumentSummary } from '../adapter/argument-summary.js';
import { listOf, recordOf, textOf, visibleTextOf } from '../adapter/json-value.js';
import { oneLine } from '../adapter/one-line.js';

/** Items that are actions of Codex, as opposed to something it says. */
export const actionItems: ReadonlySet<string> = new Set([
  'command_execution',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
  'file_change',
]);

/** An action for people: its name, its details in one line, and the fields that only this kind has. */
export interface ItemAction {
  name: string;
  summary: string;
  extra: Record<string, unknown>;
}

export function itemAction(item: Record<string, unknown>): ItemAction {
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

/** How an action ended: `success` or `error`, its result in one line, and the fields that only this kind has. */
export interface ItemOutcome {
  status: 'success' | 'error';
  summary: string;
  extra: Record<string, unknown>;
}

export function itemOutcome(item: Record<string, unknown>): ItemOutcome {
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
