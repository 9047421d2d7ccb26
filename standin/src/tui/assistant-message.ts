import { randomUUID } from 'node:crypto';
import { type TokenCounts, usageOf } from '../result-row.js';
import type { Row } from '../rows.js';

/** Builds a message with text of the model, or with a tool call. */
export function saidMessage(id: string, model: string, block: Row, reason: string, usage: TokenCounts): Row {
  return { ...messageOf(id, model, block), stop_reason: reason, usage: usageOf(usage), stop_details: null };
}

/** Builds the unfinished message of an interrupted model. */
export function unfinishedMessage(id: string, model: string, text: string): Row {
  const usage = {
    input_tokens: 1,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  };
  return { ...messageOf(id, model, { type: 'text', text }), stop_reason: null, usage };
}

/** Builds a message for an error of the API, as if the model had said it. */
export function refusedMessage(text: string): Row {
  return {
    diagnostics: null,
    ...messageOf(randomUUID(), '<synthetic>', { type: 'text', text }),
    container: null,
    stop_details: null,
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    usage: usageOf({ input: 0, output: 0 }),
    context_management: null,
  };
}

function messageOf(id: string, model: string, block: Row): Row {
  return { id, type: 'message', role: 'assistant', model, stop_sequence: null, content: [block] };
}
