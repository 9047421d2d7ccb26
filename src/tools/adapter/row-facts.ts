import { oneLine } from './event-drafts.js';
import { isRecord, listOf, recordOf, textOf, visibleTextOf } from './json-value.js';
import type { CanonicalDraft } from './tool-adapter.js';

/** The keys under which tools name the conversation; the first one found counts. */
const flatKeys = ['session_id', 'sessionId', 'thread_id', 'threadId'] as const;
const nestedKeys = ['session', 'thread'] as const;

/** Returns the provider's conversation id in a row, or null. An id that a failed resume merely repeats does not count. */
export function sessionIdOf(row: Record<string, unknown>): string | null {
  if (isEchoOfLostSession(row)) return null;
  for (const key of flatKeys) {
    const id = nonEmpty(row[key]);
    if (id !== null) return id;
  }
  for (const key of nestedKeys) {
    const id = nonEmpty(recordOf(row[key])?.id);
    if (id !== null) return id;
  }
  return null;
}

function nonEmpty(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

// Claude Code answers `--resume` with an unknown id by a result row that carries that same id.
function isEchoOfLostSession(row: Record<string, unknown>): boolean {
  if (row.type !== 'result' || row.is_error !== true) return false;
  const errors = listOf(row.errors) ?? [];
  return errors.some((error) => typeof error === 'string' && error.startsWith('No conversation found'));
}

/** Returns the model that the first row of a turn names; null for every other event, and if the tool names none. */
export function namedModel({ kind, provider_event_type, raw_payload }: CanonicalDraft): string | null {
  const begins = kind === 'session' || provider_event_type === 'system.init';
  return begins ? textOf(recordOf(raw_payload)?.model) : null;
}

/**
 * Makes an event of a piece of a message that the tool reports as a whole later. Only the parts of a turn have it: the stored events
 * have the whole message.
 */
export const pieceDraft = (providerEventType: string, piece: string): CanonicalDraft => ({
  kind: 'progress',
  message: oneLine(piece),
  provider_event_type: providerEventType,
  data: { piece },
  raw_payload: null,
});

/** Returns the text of a {@link pieceDraft}; null for every other event. */
export const pieceOf = ({ kind, data }: Pick<CanonicalDraft, 'kind' | 'data'>): string | null =>
  kind === 'progress' ? textOf(data.piece) : null;

/** The numbers of a turn that are kept, by the names under which they are kept. */
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
 * Returns the usage that a tool reports, under common names. An object with none of these names is kept as it is; any other value
 * becomes null.
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

/** Returns `345 input tokens, 20 output tokens`, for a completion that has no text of its own; '' if nothing is known. */
export function usageSummary(usage: Record<string, unknown> | null): string {
  const parts: string[] = [];
  for (const key of ['input_tokens', 'output_tokens', 'total_tokens', 'tool_calls'] as const) {
    const count = usage?.[key];
    if (typeof count === 'number') parts.push(`${count} ${key.replace('_', ' ')}`);
  }
  return parts.join(', ');
}

/** Adds up the usage of a turn's messages. A message that is reported again counts once, with its last numbers. */
export class UsageSum {
  readonly #messages = new Map<string, Record<string, unknown>>();

  add(message: string, usage: Record<string, unknown> | null): void {
    if (usage !== null) this.#messages.set(message, usage);
  }

  /** The sum; null if nothing is known. */
  get total(): Record<string, number> | null {
    const total: Record<string, number> = {};
    for (const usage of this.#messages.values())
      for (const [name, count] of Object.entries(usage))
        if (typeof count === 'number') total[name] = (total[name] ?? 0) + count;
    return Object.keys(total).length > 0 ? total : null;
  }
}

/**
 * The longest error text, in code points. It exceeds that of other summaries, because the useful half often stands at the end.
 */
const errorLimit = 500;

/**
 * Makes an error text readable. Tools wrap the answer of the API: Gemini CLI prints `[API Error: {"error": …}]`, Codex sometimes
 * the bare JSON body. The sentence inside is the useful part.
 */
export function readableError(text: string): string {
  const wrapped = /^\[API Error: ([\s\S]*?)\](?=\s|$)([\s\S]*)$/.exec(text.trim());
  const body = wrapped?.[1] ?? text.trim();
  const rest = wrapped?.[2]?.trim() ?? '';
  const inner = sentenceOfBody(body);
  const sentence = wrapped === null ? (inner ?? body) : `API error: ${inner ?? body}`;
  return oneLine(rest === '' ? sentence : `${sentence} ${rest}`, errorLimit);
}

function sentenceOfBody(body: string): string | null {
  if (!body.startsWith('{')) return null;
  try {
    const outer = recordOf(JSON.parse(body));
    const error = recordOf(outer?.error) ?? outer;
    const message = visibleTextOf(error?.message);
    if (message === null) return null;
    const code = error?.code ?? outer?.status;
    return typeof code === 'number' ? `${code} ${message}` : message;
  } catch {
    return null;
  }
}
