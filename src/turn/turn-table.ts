import type { PromptMetadata } from '../contract/prompt-metadata.js';
import type { ProcessIdentity } from '../foundation/processes.js';
import { type RecordErrorCode, storedError } from '../run/record-error.js';
import type { PastedPrompt, TurnOutcome, TurnUsage } from '../run/running-turn.js';
import type { Store } from '../storage/store.js';
import type { SessionSelection } from '../tools/adapter/tool-adapter.js';
import { MetadataTable, subjectOf } from './prompt-metadata.js';
import { GoingOnTable, InterruptTable } from './turn-schema.js';
import { UsageDays } from './usage-days.js';

export type TurnOrigin = 'queue' | 'direct' | 'reminder' | 'notifier';
export type StopReason = 'interrupt' | 'replace' | 'shutdown' | 'time_limit';
export type DeliveryState = 'claimed' | 'handed_over' | 'confirmed' | 'unconfirmed' | 'failed';

/** A row of `turns` (docs/decisions.md#turn-records). */
export interface TurnRow {
  turn_id: string;
  /** The number of the turn in its session, counted from 1. */
  turn_index: number;
  origin: TurnOrigin;
  request_id: string | null;
  tool: string;
  state: 'running' | 'ended';
  started_at_utc: string;
  ended_at_utc: string | null;
  delivery_state: DeliveryState;
  delivery_at_utc: string;
  delivery_evidence: string | null;
  outcome: TurnOutcome | null;
  provider_session_id: string | null;
  model: string | null;
  exit_code: number | null;
  signal: string | null;
  error_code: string | null;
  error_detail: string | null;
  answer_text: string | null;
  answer_truncated: 0 | 1;
  /**
   * Identities of the processes it started, as JSON: the next owner after a crash ends or follows them
   * (docs/decisions.md#left-running).
   */
  processes_json: string;
  /** {@link TurnUsage}; null where the agent reported none. */
  usage_json: string | null;
  /** The labels of its prompt, from the table `prompt_metadata`; left out where none came. */
  metadata?: PromptMetadata;
}

/** The settings with which a running turn was begun, and what else its end is judged by: kept for a process that adopts it. */
export interface TurnPlan {
  session: SessionSelection;
  timeLimitSeconds: number | null;
  /** The reason why it is being stopped; null when it is not. */
  stop: StopReason | null;
}

export const processesOf = (turn: TurnRow): ProcessIdentity[] =>
  JSON.parse(turn.processes_json) as ProcessIdentity[];

export interface TurnEnd {
  turnId: string;
  endedAtUtc: string;
  outcome: TurnOutcome;
  providerSessionId: string | null;
  exitCode: number | null;
  signal: string | null;
  errorCode: RecordErrorCode | null;
  errorDetail: string | null;
  answerText: string | null;
  answerTruncated: boolean;
}

/** Selects the usage that the agent reported, as a column of each turn. */
const usageOfTurn =
  '(SELECT usage_json FROM turn_usage WHERE turn_usage.turn_id = turns.turn_id) AS usage_json';

/** Selects all columns of turns but whole answers and the usage: each answer may be a megabyte. */
const withoutAnswer = `rowid AS turn_index, turn_id, origin, request_id, tool, state, started_at_utc, ended_at_utc,
  delivery_state, delivery_at_utc, delivery_evidence, outcome, provider_session_id, model, exit_code, signal, error_code,
  error_detail, substr(answer_text, 1, 400) AS answer_text, answer_truncated, processes_json`;

/** The statements that also those use who only read a session that another program owns (session-records.ts). */
export const turnSql = {
  find: `SELECT *, rowid AS turn_index, ${usageOfTurn} FROM turns WHERE turn_id = ?`,
  /** In the order in which they began, without their answers. */
  running: `SELECT ${withoutAnswer}, NULL AS usage_json FROM turns WHERE state = 'running' ORDER BY rowid`,
  /** Of that many turns, the latest begun first. */
  newest: `SELECT ${withoutAnswer}, NULL AS usage_json FROM turns ORDER BY rowid DESC LIMIT ?`,
  latestEnded: `SELECT ${withoutAnswer}, ${usageOfTurn} FROM turns WHERE state = 'ended'
    ORDER BY ended_at_utc DESC, rowid DESC LIMIT 1`,
  lastIndex: 'SELECT max(rowid) AS last FROM turns',
} as const;

/** The tables `turns`, `turn_usage` and `pasted_prompts`, and of turns that run `turn_plans`; one statement per method. */
export class TurnTable {
  readonly goingOn: GoingOnTable;
  readonly interrupts: InterruptTable;
  readonly usageDays: UsageDays;
  readonly metadata: MetadataTable;
  readonly #statements;

  constructor(store: Store) {
    this.goingOn = new GoingOnTable(store);
    this.interrupts = new InterruptTable(store);
    this.usageDays = new UsageDays(store);
    this.metadata = new MetadataTable(store);
    this.#statements = {
      insert: store.prepare<[string, string, string | null, string, string, string, string | null]>(
        `INSERT INTO turns (turn_id, origin, request_id, tool, state, started_at_utc, delivery_state, delivery_at_utc, model)
         VALUES (?, ?, ?, ?, 'running', ?, 'claimed', ?, ?)`,
      ),
      find: store.prepare<[string], TurnRow>(turnSql.find),
      ofRequest: store.prepare<[string], TurnRow>(
        `SELECT *, rowid AS turn_index, ${usageOfTurn} FROM turns WHERE request_id = ? ORDER BY rowid DESC LIMIT 1`,
      ),
      ofRequestsWithoutAnswer: store.prepare<[string], TurnRow>(
        `SELECT ${withoutAnswer}, ${usageOfTurn}
         FROM turns WHERE request_id IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
      ),
      running: store.prepare<[], TurnRow>(turnSql.running),
      deliver: store.prepare<[string, string, string | null, string]>(
        'UPDATE turns SET delivery_state = ?, delivery_at_utc = ?, delivery_evidence = ? WHERE turn_id = ?',
      ),
      forget: store.prepare<[string]>('DELETE FROM turns WHERE request_id = ?'),
      forgetUsage: store.prepare<[string]>(
        'DELETE FROM turn_usage WHERE turn_id IN (SELECT turn_id FROM turns WHERE request_id = ?)',
      ),
      noteUsage: store.prepare<[string, string]>(
        'INSERT OR REPLACE INTO turn_usage (turn_id, usage_json) VALUES (?, ?)',
      ),
      noteProcesses: store.prepare<[string, string]>('UPDATE turns SET processes_json = ? WHERE turn_id = ?'),
      insertPlan: store.prepare<[string, string, number | null]>(
        'INSERT OR REPLACE INTO turn_plans (turn_id, session_json, time_limit_seconds) VALUES (?, ?, ?)',
      ),
      plan: store.prepare<
        [string],
        { session_json: string; time_limit_seconds: number | null; stop_reason: StopReason | null }
      >('SELECT session_json, time_limit_seconds, stop_reason FROM turn_plans WHERE turn_id = ?'),
      noteStop: store.prepare<[string, string]>('UPDATE turn_plans SET stop_reason = ? WHERE turn_id = ?'),
      dropPlan: store.prepare<[string]>('DELETE FROM turn_plans WHERE turn_id = ?'),
      notePasted: store.prepare<[string, string, string, string]>(
        'INSERT OR REPLACE INTO pasted_prompts (turn_id, pane_id, text, heard_until_json) VALUES (?, ?, ?, ?)',
      ),
      pasted: store.prepare<[string], { pane_id: string; text: string; heard_until_json: string }>(
        'SELECT pane_id, text, heard_until_json FROM pasted_prompts WHERE turn_id = ?',
      ),
      latePrompts: store.prepare<[], { turn_id: string; text: string; ended_at_utc: string }>(
        `SELECT turn_id, text, ended_at_utc FROM pasted_prompts JOIN turns USING (turn_id) WHERE state = 'ended'`,
      ),
      dropPasted: store.prepare<[string]>('DELETE FROM pasted_prompts WHERE turn_id = ?'),
      end: store.prepare<
        [
          string,
          string,
          string | null,
          number | null,
          string | null,
          string | null,
          string | null,
          string | null,
          number,
          string,
        ]
      >(
        `UPDATE turns SET state = 'ended', ended_at_utc = ?, outcome = ?, provider_session_id = ?, exit_code = ?, signal = ?,
           error_code = ?, error_detail = ?, answer_text = ?, answer_truncated = ?
         WHERE turn_id = ? AND state = 'running'`,
      ),
    };
  }

  insert(
    turn: Pick<TurnRow, 'turn_id' | 'origin' | 'request_id' | 'tool' | 'started_at_utc' | 'model'>,
  ): void {
    this.#statements.insert.run(
      turn.turn_id,
      turn.origin,
      turn.request_id,
      turn.tool,
      turn.started_at_utc,
      turn.started_at_utc,
      turn.model,
    );
  }
  find(turnId: string): TurnRow | null {
    return this.#labelled(this.#statements.find.all(turnId))[0] ?? null;
  }
  ofRequest(requestId: string): TurnRow | null {
    return this.#labelled(this.#statements.ofRequest.all(requestId))[0] ?? null;
  }
  /** Returns the latest turn of each request, for lists, which do not show whole answers. */
  ofRequestsWithoutAnswer(requestIds: readonly string[]): ReadonlyMap<string, TurnRow> {
    if (requestIds.length === 0) return new Map();
    const rows = this.#labelled(this.#statements.ofRequestsWithoutAnswer.all(JSON.stringify(requestIds)));
    return new Map(rows.map((row) => [row.request_id ?? '', row]));
  }
  running(): TurnRow[] {
    return this.#statements.running.all();
  }
  deliver(turnId: string, state: DeliveryState, atUtc: string, evidence: string | null): void {
    this.#statements.deliver.run(state, atUtc, evidence, turnId);
  }
  noteProcesses(turnId: string, processesJson: string): void {
    this.#statements.noteProcesses.run(processesJson, turnId);
  }
  insertPlan(turnId: string, { session, timeLimitSeconds }: Omit<TurnPlan, 'stop'>): void {
    this.#statements.insertPlan.run(turnId, JSON.stringify(session), timeLimitSeconds);
  }
  /** Returns null for a turn that has ended. */
  plan(turnId: string): TurnPlan | null {
    const row = this.#statements.plan.get(turnId);
    return row
      ? {
          session: JSON.parse(row.session_json) as SessionSelection,
          timeLimitSeconds: row.time_limit_seconds,
          stop: row.stop_reason,
        }
      : null;
  }
  noteStop(turnId: string, reason: StopReason): void {
    this.#statements.noteStop.run(reason, turnId);
  }
  dropPlan(turnId: string): void {
    this.#statements.dropPlan.run(turnId);
  }
  notePasted(turnId: string, { paneId, text, heardUntil }: PastedPrompt): void {
    this.#statements.notePasted.run(turnId, paneId, text, JSON.stringify(heardUntil));
  }
  /**
   * Returns null for a turn whose prompt was never on its way into a terminal, or can no longer appear there since the
   * turn ended.
   */
  pasted(turnId: string): PastedPrompt | null {
    const row = this.#statements.pasted.get(turnId);
    return row
      ? {
          paneId: row.pane_id,
          text: row.text,
          heardUntil: JSON.parse(row.heard_until_json) as PastedPrompt['heardUntil'],
        }
      : null;
  }
  /** Returns the prompts of ended turns that may still appear in the composer. */
  latePrompts(): { turn_id: string; text: string; ended_at_utc: string }[] {
    return this.#statements.latePrompts.all();
  }
  dropPasted(turnId: string): void {
    this.#statements.dropPasted.run(turnId);
  }
  noteUsage(turnId: string, usage: TurnUsage): void {
    this.#statements.noteUsage.run(turnId, JSON.stringify(usage));
  }
  /** Call it before the turns themselves are forgotten. */
  forgetUsage(requestId: string): void {
    this.#statements.forgetUsage.run(requestId);
  }
  forget(requestId: string): void {
    this.#statements.forget.run(requestId);
  }
  /** @returns false when it had ended before. */
  end(end: TurnEnd): boolean {
    return (
      this.#statements.end.run(
        end.endedAtUtc,
        end.outcome,
        end.providerSessionId,
        end.exitCode,
        end.signal,
        end.errorCode,
        end.errorDetail,
        end.answerText,
        end.answerTruncated ? 1 : 0,
        end.turnId,
      ).changes === 1
    );
  }

  /** Adds the labels of their prompts to rows. */
  #labelled(rows: readonly TurnRow[]): TurnRow[] {
    const metadata = this.metadata.of(rows.map(subjectOf));
    return rows.map((row) => withLabels(row, metadata.get(subjectOf(row))));
  }
}

/** Returns a row with the labels of its prompt. */
export const withLabels = (row: TurnRow, metadata: PromptMetadata | undefined): TurnRow =>
  metadata === undefined ? row : { ...row, metadata };

export type TurnRecord = ReturnType<typeof toTurnRecord>;

/**
 * Converts a row to the record of a turn that callers see (docs/decisions.md#turn-records).
 * @param withAnswer false leaves the answer's text out, for lists.
 */
export function toTurnRecord(row: TurnRow, artifacts: string[], withAnswer: boolean) {
  return {
    turn_id: row.turn_id,
    turn_index: row.turn_index,
    origin: row.origin,
    request_id: row.request_id,
    tool: row.tool,
    state: row.state,
    started_at_utc: row.started_at_utc,
    ended_at_utc: row.ended_at_utc,
    delivery: { state: row.delivery_state, at_utc: row.delivery_at_utc, evidence: row.delivery_evidence },
    outcome: row.outcome,
    provider_session_id: row.provider_session_id,
    model: row.model,
    exit_code: row.exit_code,
    signal: row.signal,
    error: storedError(row.error_code, row.error_detail),
    answer:
      withAnswer && row.answer_text !== null
        ? { text: row.answer_text, truncated: row.answer_truncated === 1 }
        : null,
    usage: row.usage_json === null ? null : (JSON.parse(row.usage_json) as TurnUsage),
    artifacts,
    ...(row.metadata && { metadata: row.metadata }),
  };
}
