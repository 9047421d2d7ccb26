import { oneLine } from '../adapter/event-drafts.js';
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
import { normalizeUsage, readableError } from '../adapter/row-facts.js';
import {
  evidenceOf,
  type RowPlace,
  type RowReader,
  type SelfReportFact,
  type TurnEnded,
  type TurnError,
} from '../self-report/self-report.js';

type Row = Record<string, unknown>;

interface RolloutTurn {
  id: string | null;
  model: string | null;
  usage: Row | null;
  hasPrompt: boolean;
}

/**
 * Reads `sessions/<day>/rollout-<time>-<thread>.jsonl`.
 *
 * A turn: task_started ──▶ its prompts, model and usage in any order ──▶ task_complete or turn_aborted. Input that a person types
 * during a turn joins that turn; commands are turns without a prompt.
 */
export class CodexRollout implements RowReader {
  readonly #thread: string;
  #turn: RolloutTurn | null = null;
  /** False for a thread that Codex keeps for itself, such as one for titles. */
  #isPersons = true;
  /** The call of the command whose result was reported last. */
  #command: string | null = null;

  constructor(thread: string) {
    this.#thread = thread;
  }

  read(row: Row, place: RowPlace): SelfReportFact[] {
    const payload = recordOf(row.payload);
    if (payload === null) return [];
    if (row.type === 'session_meta') {
      const source = textOf(payload.thread_source);
      this.#isPersons = source === null || source === 'user';
    }
    if (!this.#isPersons) return [];
    const turn = textOf(payload.turn_id);
    if (row.type === 'turn_context') this.#of(turn).model = textOf(payload.model);
    if (row.type === 'token_usage_record') this.#of(turn).usage = normalizeUsage(payload.turn_token_usage);
    return row.type === 'event_msg' ? this.#event(payload, row, place) : [];
  }

  said(row: Row): ReportedPart[] {
    const payload = this.#isPersons ? recordOf(row.payload) : null;
    if (payload === null) return [];
    const call = textOf(payload.call_id);
    if (payload.type === 'function_call' || payload.type === 'custom_tool_call') {
      const input = textOf(payload.arguments) ?? textOf(payload.input) ?? '';
      return [toolUsePart(call, textOf(payload.name) ?? 'tool', oneLine(input))];
    }
    if (payload.type === 'function_call_output' || payload.type === 'custom_tool_call_output')
      return call !== null && call === this.#command
        ? []
        : [toolResultPart(call, null, messageText(payload.output, ' ') ?? '')];
    const item = payload.type === 'item_completed' ? recordOf(payload.item) : null;
    if (item?.type === 'AgentMessage') {
      const text = messageText(item.content, '') ?? '';
      return text === '' ? [] : [textPart(text)];
    }
    if (item?.type !== 'CommandExecution' || item.source === 'user_shell') return [];
    // The output of this call follows in a row of its own, without the exit code.
    this.#command = textOf(item.id);
    const code = numberOf(item.exit_code);
    return [
      toolResultPart(
        this.#command,
        code === null ? null : code !== 0,
        visibleTextOf(item.aggregated_output) ?? `exit code ${code ?? 'unknown'}`,
      ),
    ];
  }

  #event(payload: Row, row: Row, place: RowPlace): SelfReportFact[] {
    const type = textOf(payload.type) ?? '';
    const said = {
      evidence: evidenceOf(`${type} row`, place),
      at: timeOf(row.timestamp),
      conversation: this.#thread,
      turn: textOf(payload.turn_id),
    };
    switch (type) {
      case 'item_completed': {
        const item = recordOf(payload.item);
        const text = item && this.#typedIn(item, said.turn);
        if (item === null || text === null) return [];
        const evidence = evidenceOf(`${textOf(item.type)} row`, place);
        return [{ kind: 'prompt_taken', text, pending: false, ...said, evidence }];
      }
      case 'task_complete': {
        const error = errorOf(payload.error);
        const answer = error === null ? textOf(payload.last_agent_message) : null;
        return [this.#ended({ ...said, outcome: error === null ? 'completed' : 'failed', answer, error })];
      }
      case 'turn_aborted':
        return [this.#ended({ ...said, ...abortOf(textOf(payload.reason)), answer: null })];
      default:
        return [];
    }
  }

  #ended(fields: Omit<TurnEnded, 'kind' | 'settled' | 'model' | 'usage'>): TurnEnded {
    const { model, usage } = this.#of(fields.turn);
    this.#turn = null;
    return { kind: 'turn_ended', settled: true, ...fields, model, usage };
  }

  /**
   * Returns the prompt in an item. `/compact` is a turn without a prompt; a compaction in a turn that has one was started by
   * Codex itself.
   */
  #typedIn(item: Row, turnId: string | null): string | null {
    const turn = this.#of(turnId);
    if (item.type === 'ContextCompaction') return turn.hasPrompt ? null : '/compact';
    const text = typedIn(item);
    turn.hasPrompt ||= text !== null;
    return text;
  }

  /** Returns the turn with this id, which replaces the one before: one turn runs at a time. */
  #of(id: string | null): RolloutTurn {
    if (this.#turn?.id !== id) this.#turn = { id, model: null, usage: null, hasPrompt: false };
    return this.#turn as RolloutTurn;
  }
}

/**
 * Returns the text that a person typed: a prompt, or `!` and a shell command. The row of a shell command comes when the command
 * has ended.
 */
function typedIn(item: Row): string | null {
  if (item.type === 'UserMessage') return messageText(item.content, '');
  if (item.type !== 'CommandExecution' || item.source !== 'user_shell') return null;
  const command = textOf(listOf(item.command)?.at(-1));
  return command === null ? null : `!${command}`;
}

function errorOf(value: unknown): TurnError | null {
  if (value === null || value === undefined) return null;
  const error = recordOf(value);
  const info = error?.codex_error_info;
  const [code, detail] = isRecord(info) ? (Object.entries(info)[0] ?? [null, null]) : [textOf(info), null];
  return {
    message: readableError(textOf(error?.message) ?? textOf(value) ?? 'the turn failed without a reason'),
    code,
    status: numberOf(recordOf(detail)?.http_status_code),
  };
}

function abortOf(reason: string | null): Pick<TurnEnded, 'outcome' | 'error'> {
  if (reason === 'interrupted') return { outcome: 'interrupted', error: null };
  const message = `the turn was aborted${reason === null ? ' without a reason' : `: ${reason}`}`;
  return { outcome: 'failed', error: { message, code: reason, status: null } };
}
