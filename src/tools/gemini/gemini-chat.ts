import { argumentSummary } from '../adapter/event-drafts.js';
import {
  isRecord,
  listOf,
  messageText,
  numberOf,
  recordOf,
  textOf,
  timeOf,
  visibleTextOf,
} from '../adapter/json-value.js';
import { type ReportedPart, textPart, toolResultPart, toolUsePart } from '../adapter/reported-part.js';
import { readableError, UsageSum } from '../adapter/row-facts.js';
import {
  evidenceOf,
  type RowPlace,
  type RowReader,
  type SelfReportFact,
  type TurnEnded,
} from '../self-report/self-report.js';

type Row = Record<string, unknown>;

/** Returns the conversation that the first row of a chat names; null for any other row. */
export const conversationOfChat = (row: Row): string | null =>
  'projectHash' in row ? textOf(row.sessionId) : null;

/**
 * Reads `chats/session-<time>-<conversation>.jsonl`.
 *
 * live ──the context of the session, as a row──▶ replay ──messages in a $set, a header, a row of the model──▶ live
 *
 * After a tool was denied, Gemini CLI writes the earlier messages once more, with new ids and times: these rows are not new. No
 * row marks the end of a turn: an answer may be followed by a tool call, so it is the end only once the agent is idle.
 */
export class GeminiChat implements RowReader {
  readonly #conversation: string;
  #replay = false;
  #over = false;
  #usage = new UsageSum();

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  read(row: Row, place: RowPlace): SelfReportFact[] {
    const isFirst = conversationOfChat(row) !== null;
    if (isFirst) this.#over = true;
    if (isFirst || listOf(recordOf(row.$set)?.messages) !== null) this.#replay = false;
    switch (row.type) {
      case 'user':
        return this.#user(row, place);
      case 'gemini':
        return this.#gemini(row, place);
      case 'info':
        if (!/^Request cancelled\.?$/.test(messageText(row.content, '') ?? '')) return [];
        return this.#end(row, { outcome: 'interrupted', evidence: evidenceOf('info row', place) });
      case 'error': {
        const text = messageText(row.content, '') ?? 'an error without a message';
        const error = { message: readableError(text), code: null, status: statusIn(text) };
        return this.#end(row, { outcome: 'failed', error, evidence: evidenceOf('error row', place) });
      }
      default:
        return [];
    }
  }

  /** A row of the model has its text, and the tools that it called, with their results. */
  said(row: Row): ReportedPart[] {
    if (row.type !== 'gemini' || textOf(row.model) === null) return [];
    const text = visibleTextOf(messageText(row.content, ''));
    const calls = (listOf(row.toolCalls) ?? []).filter(isRecord);
    return [...(text === null ? [] : [textPart(text)]), ...calls.flatMap(callParts)];
  }

  #user(row: Row, place: RowPlace): SelfReportFact[] {
    // If the prompt names files, the row contains them, and the prompt as it was typed is in `displayContent`.
    const text = messageText(row.displayContent, '') ?? messageText(row.content, '');
    if (text === null) return [];
    if (text.startsWith('<session_context>')) this.#replay = true;
    if (this.#replay) return [];
    this.#over = false;
    this.#usage = new UsageSum();
    const said = this.#said(row, evidenceOf('user row', place));
    return [{ kind: 'prompt_taken', text, pending: false, ...said }];
  }

  #gemini(row: Row, place: RowPlace): SelfReportFact[] {
    // A message of the model names its model; a repeated message does not.
    const model = textOf(row.model);
    if (model === null) return [];
    this.#replay = false;
    this.#usage.add(textOf(row.id) ?? '', usageOf(recordOf(row.tokens)));
    const answer = messageText(row.content, '') ?? '';
    const callsTools = (listOf(row.toolCalls) ?? []).length > 0;
    if (callsTools || answer.trim() === '') return [];
    const evidence = evidenceOf('gemini row', place);
    return [this.#ended(row, { outcome: 'completed', settled: false, answer, model, evidence })];
  }

  /** Ends the turn. An error or a remark outside of a turn is not reported. */
  #end(row: Row, ending: Pick<TurnEnded, 'outcome' | 'evidence'> & Partial<TurnEnded>): SelfReportFact[] {
    if (this.#over) return [];
    this.#over = true;
    return [this.#ended(row, ending)];
  }

  #ended(row: Row, fields: Pick<TurnEnded, 'outcome' | 'evidence'> & Partial<TurnEnded>): TurnEnded {
    return {
      kind: 'turn_ended',
      settled: true,
      ...this.#said(row, fields.evidence),
      answer: null,
      model: null,
      usage: this.#usage.total,
      error: null,
      ...fields,
    };
  }

  #said(row: Row, evidence: string): Pick<TurnEnded, 'evidence' | 'at' | 'conversation' | 'turn'> {
    return { evidence, at: timeOf(row.timestamp), conversation: this.#conversation, turn: null };
  }
}

function callParts(call: Row): ReportedPart[] {
  const id = textOf(call.id);
  const use = toolUsePart(id, textOf(call.name) ?? 'tool', argumentSummary(call.args));
  if (textOf(call.status) === null) return [use];
  const response = recordOf(recordOf(recordOf(listOf(call.result)?.[0])?.functionResponse)?.response);
  const result = visibleTextOf(response?.error) ?? visibleTextOf(response?.output) ?? String(call.status);
  return [use, toolResultPart(id, call.status !== 'success', result)];
}

/** Returns the token counts under the names that headless turns use. */
function usageOf(tokens: Row | null): Row | null {
  if (tokens === null) return null;
  return {
    input_tokens: tokens.input,
    cached_input_tokens: tokens.cached,
    output_tokens: tokens.output,
    thoughts_token_count: tokens.thoughts,
    total_tokens: tokens.total,
  };
}

/** Returns the HTTP status in `[API Error: {"error":{"code":401,…}}]`. */
function statusIn(message: string): number | null {
  const body = /^\[API Error: (\{[\s\S]*\})\]/.exec(message)?.[1];
  if (body === undefined) return null;
  try {
    return numberOf(recordOf(recordOf(JSON.parse(body))?.error)?.code);
  } catch {
    return null;
  }
}
