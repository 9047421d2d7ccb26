import { randomUUID } from 'node:crypto';
import type { ToolDirective } from './directives.js';

/** Rows with the fields of Claude Code 2.1.330, recorded in test/fixtures/cli/claude. */

export type Row = Record<string, unknown>;

export interface RowContext {
  session_id: string;
  model: string;
  cwd: string;
  skipPermissions: boolean;
}

export function initRow(context: RowContext): Row {
  return {
    type: 'system',
    subtype: 'init',
    cwd: context.cwd,
    session_id: context.session_id,
    tools: ['Bash', 'Edit', 'Read', 'Write'],
    mcp_servers: [],
    model: context.model,
    permissionMode: context.skipPermissions ? 'bypassPermissions' : 'default',
    slash_commands: [],
    terminal_slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: '2.1.330',
    output_style: 'default',
    agents: ['claude'],
    skills: [],
    plugins: [],
    capabilities: [],
    analytics_disabled: true,
    product_feedback_disabled: true,
    served_by_anthropic: false,
    uuid: randomUUID(),
    memory_paths: {},
    original_cwd: context.cwd,
    additional_directories: [],
    messaging_socket_path: null,
    fast_mode_state: 'off',
    fast_mode_disabled_reason: 'sdk_opt_in_required',
    per_turn_effort_active: true,
    ultrathink_available: false,
    ultrathink_typed_raises: false,
    view_mode: 'default',
  };
}

export function assistantRow(context: RowContext, messageId: string, block: Row): Row {
  return {
    type: 'assistant',
    message: {
      id: messageId,
      type: 'message',
      role: 'assistant',
      model: context.model,
      stop_sequence: null,
      content: [block],
      stop_reason: null,
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 1,
      },
      context_management: null,
    },
    ...envelope(context),
    timestamp: new Date().toISOString(),
  };
}

/** Builds a tool call and its result. */
export function toolRows(context: RowContext, tool: ToolDirective, output: string): [Row, Row] {
  const id = `toolu_standin_${randomUUID().slice(0, 8)}`;
  const call = { type: 'tool_use', id, name: tool.name, input: tool.input };
  const result = { tool_use_id: id, type: 'tool_result', content: output, is_error: false };
  return [
    assistantRow(context, newMessageId(), call),
    {
      ...userRow(context, result),
      tool_use_result: {
        stdout: '',
        stderr: '',
        interrupted: false,
        isImage: false,
        noOutputExpected: false,
      },
      tool_result_meta: [
        { id, permission_decision: { decision: 'accept', source: 'config', reason_type: 'rule' } },
      ],
    },
  ];
}

export function interruptRow(context: RowContext): Row {
  return userRow(context, { type: 'text', text: '[Request interrupted by user]' });
}

function userRow(context: RowContext, block: Row): Row {
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    ...envelope(context),
    timestamp: new Date().toISOString(),
  };
}

export function streamRow(context: RowContext, messageId: string, event: Row): Row {
  return { type: 'stream_event', event, ...envelope(context), api_message_id: messageId };
}

export function textDelta(text: string): Row {
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
}

export interface ApiFailure {
  status: number;
  /** Claude Code's name for it. */
  error: string;
  /** The API's name for it. */
  type: string;
  text: string;
}

export function apiRetryRow(
  context: RowContext,
  failure: ApiFailure,
  attempt: number,
  maxRetries: number,
  delayMs: number,
): Row {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: failure.status,
    error: failure.error,
    session_id: context.session_id,
    uuid: randomUUID(),
  };
}

/** Builds the row of an API error, which Claude Code prints as if the model had said it. */
export function apiErrorRow(context: RowContext, failure: ApiFailure): Row {
  const row = assistantRow({ ...context, model: '<synthetic>' }, randomUUID(), {
    type: 'text',
    text: failure.text,
  });
  return {
    ...row,
    error: failure.error,
    request_id: 'req_standin',
    is_api_error_message: true,
    api_error_status: failure.status,
    api_error_type: failure.type,
  };
}

export function newMessageId(): string {
  return `msg_standin_${randomUUID().slice(0, 12)}`;
}

function envelope(context: RowContext): Row {
  return { parent_tool_use_id: null, session_id: context.session_id, uuid: randomUUID() };
}
