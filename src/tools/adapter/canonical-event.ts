import type { ToolName } from './tool-name.js';

/** What a provider row means, in one vocabulary for all tools (docs/decisions.md#canonical-events). */
export type CanonicalKind =
  | 'session'
  | 'assistant'
  | 'reasoning'
  | 'action_request'
  | 'action_result'
  | 'progress'
  | 'completion'
  | 'diagnostic'
  | 'passthrough';

/** One meaning found in a provider row; a row may hold several. */
export interface CanonicalDraft {
  kind: CanonicalKind;
  /** One line for people; for `assistant` the whole text. */
  message: string;
  /** The provider's own name of the row, such as `assistant.text` or `item.completed.command_execution`. */
  provider_event_type: string;
  data: Record<string, unknown>;
  /** The provider object behind it (for Claude content blocks: the block). */
  raw_payload: unknown;
}

/** One line of `canonical-events.jsonl`. */
export interface CanonicalEvent extends CanonicalDraft {
  turn_index: number;
  provider: ToolName;
  /** Arrival time, whole seconds, ISO 8601 with offset. */
  timestamp_utc: string;
  session_id: string | null;
}
