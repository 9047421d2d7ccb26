import type { Database } from 'better-sqlite3';

export type TurnOrigin = 'queue' | 'direct' | 'reminder' | 'notifier';
export type DeliveryState = 'claimed' | 'handed_over' | 'confirmed' | 'unconfirmed' | 'failed';
export type TurnOutcome = 'completed' | 'failed' | 'interrupted' | 'replaced';

/** A row of `turns` (additions.md §3). */
export interface TurnRow {
  turn_id: string;
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
  /** Identities of the processes it started, as JSON, for the restart after a crash (decision 41). */
  processes_json: string;
}
export interface TurnEnd {
  turnId: string;
  endedAtUtc: string;
  outcome: TurnOutcome;
  providerSessionId: string | null;
  exitCode: number | null;
  signal: string | null;
  errorCode: string | null;
  errorDetail: string | null;
  answerText: string | null;
  answerTruncated: boolean;
}

/** The `turns` table, one statement per method. */
export class TurnTable {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = {
      insert: database.prepare<[string, string, string | null, string, string, string, string | null]>(
        `INSERT INTO turns (turn_id, origin, request_id, tool, state, started_at_utc, delivery_state, delivery_at_utc, model)
         VALUES (?, ?, ?, ?, 'running', ?, 'claimed', ?, ?)`,
      ),
      find: database.prepare<[string], TurnRow>('SELECT * FROM turns WHERE turn_id = ?'),
      ofRequest: database.prepare<[string], TurnRow>(
        'SELECT * FROM turns WHERE request_id = ? ORDER BY rowid DESC LIMIT 1',
      ),
      ofRequestWithoutAnswer: database.prepare<[string], TurnRow>(
        `SELECT turn_id, origin, request_id, tool, state, started_at_utc, ended_at_utc, delivery_state, delivery_at_utc,
           delivery_evidence, outcome, provider_session_id, model, exit_code, signal, error_code, error_detail,
           NULL AS answer_text, answer_truncated, processes_json
         FROM turns WHERE request_id = ? ORDER BY rowid DESC LIMIT 1`,
      ),
      running: database.prepare<[], TurnRow>(`SELECT * FROM turns WHERE state = 'running' ORDER BY rowid`),
      deliver: database.prepare<[string, string, string | null, string]>(
        'UPDATE turns SET delivery_state = ?, delivery_at_utc = ?, delivery_evidence = ? WHERE turn_id = ?',
      ),
      forget: database.prepare<[string]>('DELETE FROM turns WHERE request_id = ?'),
      noteProcesses: database.prepare<[string, string]>(
        'UPDATE turns SET processes_json = ? WHERE turn_id = ?',
      ),
      end: database.prepare<
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
    return this.#statements.find.get(turnId) ?? null;
  }
  ofRequest(requestId: string): TurnRow | null {
    return this.#statements.ofRequest.get(requestId) ?? null;
  }
  /** For lists: answers of a megabyte each would be read for nothing. */
  ofRequestWithoutAnswer(requestId: string): TurnRow | null {
    return this.#statements.ofRequestWithoutAnswer.get(requestId) ?? null;
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
}
