import type { Database } from 'better-sqlite3';
import type { RequestKind, RequestRow, RequestState } from './request-row.js';

const columns = `r.rowid, r.request_id, r.request_kind, r.payload_json, r.state, r.accepted_at_utc, r.started_at_utc,
  r.finished_at_utc, r.managed_agent_instance_epoch, r.error_detail, r.result_json, e.code AS error_code`;
const source = 'gateway_requests r LEFT JOIN request_errors e USING (request_id)';

export interface NewRequestRow {
  requestId: string;
  kind: RequestKind;
  payloadJson: string;
  acceptedAtUtc: string;
  epoch: number;
}
export interface RequestEnd {
  requestId: string;
  state: Extract<RequestState, 'completed' | 'failed' | 'coalesced' | 'cancelled'>;
  finishedAtUtc: string;
  errorDetail: string | null;
  resultJson: string | null;
}

/** Rows of a list, and whether there are more behind them. */
export interface RequestPage {
  rows: RequestRow[];
  more: boolean;
}

/** A page of prompts of a megabyte each is cut short: all of it is read in one go, while everybody else waits. */
const pageCharacters = 8 * 1024 * 1024;

/** So many rows are read at once: a statement's iterator would be an object of the addon (open-database.ts). */
const rowsAtOnce = 16;

/** @param read rows before one of them, newest first. */
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

/** The tables `gateway_requests` and `request_errors`, one statement per method. */
export class RequestTable {
  readonly #statements;

  constructor(database: Database) {
    this.#statements = {
      insert: database.prepare<[string, string, string, string, number]>(
        `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, managed_agent_instance_epoch)
         VALUES (?, ?, ?, 'accepted', ?, ?) ON CONFLICT DO NOTHING`,
      ),
      find: database.prepare<[string], RequestRow>(`SELECT ${columns} FROM ${source} WHERE r.request_id = ?`),
      countActive: database.prepare<[], { depth: number }>(
        `SELECT (SELECT COUNT(*) FROM gateway_requests WHERE state = 'accepted')
              + (SELECT COUNT(*) FROM gateway_requests WHERE state = 'running') AS depth`,
      ),
      countAcceptedBefore: database.prepare<[number], { position: number }>(
        `SELECT COUNT(*) AS position FROM gateway_requests WHERE state = 'accepted' AND rowid < ?`,
      ),
      oldestAccepted: database.prepare<[number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'accepted' AND r.rowid > ? ORDER BY r.rowid LIMIT ?`,
      ),
      acceptedWithTurnId: database.prepare<[string], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE state = 'accepted' AND json_extract(payload_json, '$.turn_id') IS NOT NULL
           AND json_extract(payload_json, '$.turn_id') = ? LIMIT 1`,
      ),
      firstAcceptedTurnId: database.prepare<[], { turn_id: string }>(
        `SELECT json_extract(payload_json, '$.turn_id') AS turn_id FROM gateway_requests INDEXED BY gateway_requests_turn_ids
         WHERE state = 'accepted' AND json_extract(payload_json, '$.turn_id') IS NOT NULL ORDER BY rowid LIMIT 1`,
      ),
      running: database.prepare<[], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'running' ORDER BY r.rowid`,
      ),
      newest: database.prepare<[number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestAccepted: database.prepare<[number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'accepted' AND r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestRunning: database.prepare<[number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'running' AND r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestCompleted: database.prepare<[number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'completed' AND r.rowid < ? ORDER BY r.rowid DESC LIMIT ?`,
      ),
      newestRare: database.prepare<[string, number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state IN ('failed', 'coalesced', 'cancelled') AND r.state = ? AND r.rowid < ?
         ORDER BY r.rowid DESC LIMIT ?`,
      ),
      start: database.prepare<[string, string]>(
        `UPDATE gateway_requests SET state = 'running', started_at_utc = ? WHERE request_id = ? AND state = 'accepted'`,
      ),
      end: database.prepare<[string, string, string | null, string | null, string]>(
        `UPDATE gateway_requests SET state = ?, finished_at_utc = ?, error_detail = ?, result_json = ?
         WHERE request_id = ? AND state IN ('accepted', 'running')`,
      ),
      noteError: database.prepare<[string, string]>(
        `INSERT INTO request_errors (request_id, code) VALUES (?, ?) ON CONFLICT (request_id) DO UPDATE SET code = excluded.code`,
      ),
      adopt: database.prepare<[number, number]>(
        `UPDATE gateway_requests SET managed_agent_instance_epoch = ? WHERE state = 'accepted' AND managed_agent_instance_epoch < ?`,
      ),
      acceptedBeforeEpoch: database.prepare<[number], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE state = 'accepted' AND managed_agent_instance_epoch < ? ORDER BY rowid`,
      ),
      finishedBefore: database.prepare<[string, number], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE finished_at_utc IS NOT NULL AND finished_at_utc < ? ORDER BY rowid LIMIT ?`,
      ),
      forget: database.prepare<[string]>('DELETE FROM gateway_requests WHERE request_id = ?'),
      forgetError: database.prepare<[string]>('DELETE FROM request_errors WHERE request_id = ?'),
      acceptedInterrupts: database.prepare<[number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'accepted' AND r.request_kind = 'interrupt' ORDER BY r.rowid LIMIT ?`,
      ),
    };
  }

  /** @returns false when the id is taken. */
  insert(row: NewRequestRow): boolean {
    return (
      this.#statements.insert.run(row.requestId, row.kind, row.payloadJson, row.acceptedAtUtc, row.epoch)
        .changes === 1
    );
  }
  find(requestId: string): RequestRow | null {
    return this.#statements.find.get(requestId) ?? null;
  }
  /** Rows accepted or running. Grows with them: ask at the start, then count along. */
  countActive(): number {
    return this.#statements.countActive.get()?.depth ?? 0;
  }
  countAcceptedBefore(rowid: number): number {
    return this.#statements.countAcceptedBefore.get(rowid)?.position ?? 0;
  }
  oldestAccepted(afterRowid: number, limit: number): RequestRow[] {
    return this.#statements.oldestAccepted.all(afterRowid, limit);
  }
  acceptedInterrupts(limit: number): RequestRow[] {
    return this.#statements.acceptedInterrupts.all(limit);
  }
  acceptedWithTurnId(turnId: string): string | null {
    return this.#statements.acceptedWithTurnId.get(turnId)?.request_id ?? null;
  }
  /** The turn id of the oldest waiting request that asks for one. */
  firstAcceptedTurnId(): string | null {
    return this.#statements.firstAcceptedTurnId.get()?.turn_id ?? null;
  }
  running(): RequestRow[] {
    return this.#statements.running.all();
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
  /** @returns false when the row no longer waits. */
  start(requestId: string, atUtc: string): boolean {
    return this.#statements.start.run(atUtc, requestId).changes === 1;
  }
  /** @returns false when the row had ended before. */
  end(end: RequestEnd): boolean {
    return (
      this.#statements.end.run(end.state, end.finishedAtUtc, end.errorDetail, end.resultJson, end.requestId)
        .changes === 1
    );
  }
  noteError(requestId: string, code: string): void {
    this.#statements.noteError.run(requestId, code);
  }
  /** Finished rows, oldest first, that ended before a time. */
  finishedBefore(utc: string, limit: number): string[] {
    return this.#statements.finishedBefore.all(utc, limit).map((row) => row.request_id);
  }
  forget(requestId: string): void {
    this.#statements.forget.run(requestId);
  }
  forgetError(requestId: string): void {
    this.#statements.forgetError.run(requestId);
  }
  adopt(epoch: number): number {
    return this.#statements.adopt.run(epoch, epoch).changes;
  }
  acceptedBeforeEpoch(epoch: number): string[] {
    return this.#statements.acceptedBeforeEpoch.all(epoch).map((row) => row.request_id);
  }
}
