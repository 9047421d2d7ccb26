import { oneLine } from './event-drafts.js';
import { textOf } from './json-value.js';
import type { CanonicalDraft } from './tool-adapter.js';

/**
 * A part of a turn that the tool itself reports, as the contract's `TurnPart` has it. A text that the tool reports as a whole
 * `begins` its message.
 */
export type ReportedPart =
  | { readonly kind: 'text'; readonly data: { text: string; position: 'begins' | 'continues' | 'replaces' } }
  | { readonly kind: 'reasoning'; readonly data: { text: string } }
  | {
      readonly kind: 'tool_use';
      readonly data: { tool_use_id: string | null; name: string; summary: string };
    }
  | {
      readonly kind: 'tool_result';
      /** `is_error` is null if the tool does not say whether it failed. */
      readonly data: { tool_use_id: string | null; is_error: boolean | null; summary: string };
    };

export const textPart = (text: string): ReportedPart => ({
  kind: 'text',
  data: { text, position: 'begins' },
});

export const toolUsePart = (tool_use_id: string | null, name: string, summary: string): ReportedPart => ({
  kind: 'tool_use',
  data: { tool_use_id, name, summary },
});

/** @param result of any length: a part has its beginning on one line. */
export const toolResultPart = (
  tool_use_id: string | null,
  is_error: boolean | null,
  result: string,
): ReportedPart => ({ kind: 'tool_result', data: { tool_use_id, is_error, summary: oneLine(result) } });

/**
 * Returns what an event adds to the parts of its turn; null if nothing. A text of another agent that the tool runs, and an API error
 * that the tool prints as if the agent had said it, are no text of the agent.
 */
export function reportedPart({ kind, data, message }: CanonicalDraft): ReportedPart | null {
  switch (kind) {
    case 'assistant':
      return textOf(data.parent_tool_use_id) !== null || data.api_error !== undefined
        ? null
        : textPart(message);
    case 'reasoning': {
      const text = textOf(data.text) ?? message;
      return text === '' ? null : { kind, data: { text } };
    }
    case 'action_request':
      return toolUsePart(
        textOf(data.action_id),
        textOf(data.name) ?? 'tool',
        textOf(data.arguments_summary) ?? '',
      );
    case 'action_result':
      return toolResultPart(
        textOf(data.action_id),
        data.status === 'error',
        textOf(data.result_summary) ?? message,
      );
    default:
      return null;
  }
}
