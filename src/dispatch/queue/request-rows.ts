import type { Label } from '../../contract/prompt-metadata.js';
import type { TurnOutcome } from '../../run/running-turn.js';
import type { Store } from '../../storage/store.js';

export type RequestKind = 'submit_prompt' | 'interrupt' | 'mail_notifier_prompt';
export type RequestState = 'accepted' | 'running' | 'completed' | 'failed' | 'coalesced' | 'cancelled';

export const isFinal = (state: RequestState): boolean => state !== 'accepted' && state !== 'running';

/** A row of `gateway_requests` and its place in the order of insertion (docs/decisions.md#order). */
export interface RequestRow {
  rowid: number;
  request_id: string;
  request_kind: RequestKind;
  payload_json: string;
  state: RequestState;
  accepted_at_utc: string;
  started_at_utc: string | null;
  finished_at_utc: string | null;
  managed_agent_instance_epoch: number;
  error_detail: string | null;
  result_json: string | null;
  /** From the table `request_errors`. */
  error_code: string | null;
}

/** The payload of a `submit_prompt` row: all four keys, nulls included (docs/decisions.md#queue-tables). */
export interface PromptPayload {
  prompt: string;
  turn_id: string | null;
  chat_session: {
    mode: 'auto' | 'new' | 'current' | 'tool_last_or_new' | 'exact';
    id?: string | null;
  } | null;
  execution: { model: { name?: string | null; reasoning?: { level: number } | null } } | null;
}

/**
 * Returns the stored form of a prompt: all four keys, nulls included, as other readers of the table expect, and the name
 * of a model without surrounding spaces (docs/decisions.md#queue-tables).
 */
export function promptPayload({ prompt, turn_id, chat_session, execution }: PromptPayload): PromptPayload {
  const name = execution?.model.name;
  return {
    chat_session,
    execution:
      execution && typeof name === 'string'
        ? { model: { ...execution.model, name: name.trim() } }
        : execution,
    prompt,
    turn_id,
  };
}

/** The columns of a {@link RequestRow}, read from {@link requestSource}. */
export const requestColumns = `r.rowid, r.request_id, r.request_kind, r.payload_json, r.state, r.accepted_at_utc, r.started_at_utc,
  r.finished_at_utc, r.managed_agent_instance_epoch, r.error_detail, r.result_json, e.code AS error_code`;
export const requestSource = 'gateway_requests r LEFT JOIN request_errors e USING (request_id)';

/** Rows of a list, and whether more follow. */
export interface RequestPage {
  rows: RequestRow[];
  more: boolean;
}

/**
 * The number of characters after which a page ends early: reading a page blocks the event loop, and a prompt may be a
 * megabyte.
 */
const pageCharacters = 8 * 1024 * 1024;

/** Rows are read in blocks of this size: a statement's iterator would be an object of the addon (open-database.ts). */
const rowsAtOnce = 16;

/** @param read returns rows before a given one, newest first. */
function pageOf(
  read: (beforeRowid: number, count: number) => RequestRow[],
  beforeRowid: number,
  limit: number,
): RequestPage {
  const rows: RequestRow[] = [];
  let characters = 0;
  for (let before = beforeRowid; ; before = rows.at(-1)?.rowid ?? before) {
    const count = Math.min(rowsAtOnce, limit + 1 - rows.length);
    const found = read(before, count);
    for (const row of found) {
      if (rows.length === limit || characters > pageCharacters) return { rows, more: true };
      rows.push(row);
      characters += row.payload_json.length;
    }
    if (found.length < count) return { rows, more: false };
  }
}

/** The lists of requests, the newest first, one statement per kind. */
export class RequestLists {
  readonly #statements;

  constructor(store: Store) {
    this.#statements = {
      newest: store.prepare<[number, number], RequestRow>(
        `SELECT ${requestColumns} FROM ${requestSource} WHERE r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestAccepted: store.prepare<[number, number], RequestRow>(
        `SELECT ${requestColumns} FROM ${requestSource} WHERE r.state = 'accepted' AND r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestRunning: store.prepare<[number, number], RequestRow>(
        `SELECT ${requestColumns} FROM ${requestSource} WHERE r.state = 'running' AND r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestCompleted: store.prepare<[number, number], RequestRow>(
        `SELECT ${requestColumns} FROM ${requestSource} WHERE r.state = 'completed' AND r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestRare: store.prepare<[string, number, number], RequestRow>(
        `SELECT ${requestColumns} FROM ${requestSource} WHERE r.state IN ('failed', 'coalesced', 'cancelled') AND r.state = ? AND r.rowid < ?
         ORDER BY r.rowid DESC LIMIT ?`,
      ),
      // Requests run in the order of their rows, so the place of the turn serves as that of its request here.
      newestWithOutcome: store.prepare<
        [string, number, RequestState | null, RequestState | null, number],
        RequestRow
      >(
        `SELECT t.rowid, ${requestColumns.replace('r.rowid, ', '')} FROM turns t INDEXED BY turns_by_outcome
         CROSS JOIN gateway_requests r ON r.request_id = t.request_id
         LEFT JOIN request_errors e ON e.request_id = t.request_id
         WHERE t.outcome = ? AND t.request_id IS NOT NULL AND t.rowid < ? AND (? IS NULL OR r.state = ?)
           AND NOT EXISTS (SELECT 1 FROM turns later WHERE later.request_id = t.request_id AND later.rowid > t.rowid)
         ORDER BY t.rowid DESC LIMIT ?`,
      ),
      // Labels are stored with their request, so the place of a label serves as that of its request here.
      newestWithMetadata: store.prepare<
        [
          ...[string, string, number],
          ...[RequestState | null, RequestState | null, TurnOutcome | null, TurnOutcome | null],
          ...[string, number],
        ],
        RequestRow
      >(
        `SELECT m.number AS rowid, ${requestColumns.replace('r.rowid, ', '')}
         FROM prompt_metadata m INDEXED BY prompt_metadata_by_value
         CROSS JOIN gateway_requests r ON r.request_id = m.subject_id
         LEFT JOIN request_errors e ON e.request_id = m.subject_id
         WHERE m.key = ? AND m.value = ? AND m.number < ? AND (? IS NULL OR r.state = ?)
           AND (? IS NULL OR ? = (SELECT outcome FROM turns WHERE request_id = m.subject_id ORDER BY rowid DESC LIMIT 1))
           AND NOT EXISTS (SELECT 1 FROM json_each(?) wanted WHERE NOT EXISTS (
             SELECT 1 FROM prompt_metadata other WHERE other.subject_id = m.subject_id
               AND other.key = wanted.value ->> 0 AND other.value = wanted.value ->> 1))
         ORDER BY m.number DESC LIMIT ?`,
      ),
    };
  }

  newest(beforeRowid: number, limit: number): RequestPage {
    return pageOf((before, count) => this.#statements.newest.all(before, count), beforeRowid, limit);
  }
  newestInState(state: RequestState, beforeRowid: number, limit: number): RequestPage {
    const { newestAccepted, newestRunning, newestCompleted, newestRare } = this.#statements;
    // One statement per partial index: a bound state would make SQLite walk the whole table.
    const common: Readonly<Record<string, typeof newestAccepted>> = {
      accepted: newestAccepted,
      running: newestRunning,
      completed: newestCompleted,
    };
    const statement = common[state];
    const read = (before: number, count: number): RequestRow[] =>
      statement ? statement.all(before, count) : newestRare.all(state, before, count);
    return pageOf(read, beforeRowid, limit);
  }
  /**
   * Returns the requests whose latest turn had this outcome, in the order of these turns.
   * @param beforeRowid the rowid of a turn; the `rowid`s of the returned rows are those of turns, too.
   */
  newestWithOutcome(
    outcome: TurnOutcome,
    state: RequestState | null,
    beforeRowid: number,
    limit: number,
  ): RequestPage {
    const { newestWithOutcome } = this.#statements;
    return pageOf(
      (before, count) => newestWithOutcome.all(outcome, before, state, state, count),
      beforeRowid,
      limit,
    );
  }
  /**
   * Returns the requests that have all of these labels, of the state and with the outcome if they are given.
   * @param before the number of a label; the `rowid`s of the returned rows are those of labels, too.
   */
  newestWithMetadata(
    [[key, value], ...others]: readonly [Label, ...Label[]],
    { state, outcome }: { state: RequestState | null; outcome: TurnOutcome | null },
    before: number,
    limit: number,
  ): RequestPage {
    const { newestWithMetadata } = this.#statements;
    const rest = JSON.stringify(others);
    const read = (below: number, count: number): RequestRow[] =>
      newestWithMetadata.all(key, value, below, state, state, outcome, outcome, rest, count);
    return pageOf(read, before, limit);
  }
}
