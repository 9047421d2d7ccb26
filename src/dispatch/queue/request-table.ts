import type { RecordErrorCode } from '../../run/record-error.js';
import type { Store, TableSchema } from '../../storage/store.js';
import {
  requestColumns as columns,
  type RequestKind,
  RequestLists,
  type RequestRow,
  type RequestState,
  requestSource as source,
} from './request-rows.js';

export interface NewRequestRow {
  requestId: string;
  kind: RequestKind;
  payloadJson: string;
  acceptedAtUtc: string;
  epoch: number;
}
export interface RequestEndRow {
  requestId: string;
  state: Extract<RequestState, 'completed' | 'failed' | 'coalesced' | 'cancelled'>;
  finishedAtUtc: string;
  errorDetail: string | null;
  resultJson: string | null;
}

/** The rows of the queue; `gateway_requests` is shared with other implementations, column for column. */
export const requestSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS gateway_requests (
  request_id TEXT PRIMARY KEY,
  request_kind TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  state TEXT NOT NULL,
  accepted_at_utc TEXT NOT NULL,
  started_at_utc TEXT,
  finished_at_utc TEXT,
  managed_agent_instance_epoch INTEGER NOT NULL,
  error_detail TEXT,
  result_json TEXT
);
CREATE TABLE IF NOT EXISTS request_errors (
  request_id TEXT PRIMARY KEY REFERENCES gateway_requests (request_id),
  code TEXT NOT NULL
) WITHOUT ROWID;
`,
  indexes: `
CREATE INDEX IF NOT EXISTS gateway_requests_accepted ON gateway_requests (state) WHERE state = 'accepted';
CREATE INDEX IF NOT EXISTS gateway_requests_running ON gateway_requests (state) WHERE state = 'running';
CREATE INDEX IF NOT EXISTS gateway_requests_interrupts ON gateway_requests (state)
  WHERE state = 'accepted' AND request_kind = 'interrupt';
CREATE INDEX IF NOT EXISTS gateway_requests_rare ON gateway_requests (state)
  WHERE state IN ('failed', 'coalesced', 'cancelled');
CREATE INDEX IF NOT EXISTS gateway_requests_turn_ids ON gateway_requests (json_extract(payload_json, '$.turn_id'))
  WHERE state = 'accepted' AND json_extract(payload_json, '$.turn_id') IS NOT NULL;
`,
  columns: {
    gateway_requests: [
      'request_id',
      'request_kind',
      'payload_json',
      'state',
      'accepted_at_utc',
      'started_at_utc',
      'finished_at_utc',
      'managed_agent_instance_epoch',
      'error_detail',
      'result_json',
    ],
  },
};

/** The statements of those who only read a session that another program owns (session-records.ts). */
export const requestSql = {
  /** The request whose prompt is to become that turn. */
  waitingForTurn: `SELECT request_id FROM gateway_requests
    WHERE state IN ('accepted', 'running') AND json_extract(payload_json, '$.turn_id') = ? LIMIT 1`,
  /** The request that named that turn and ended before it. */
  endedBeforeTurn: `SELECT request_id, state, error_detail FROM gateway_requests
    WHERE state IN ('failed', 'coalesced', 'cancelled') AND json_extract(payload_json, '$.turn_id') = ?
    ORDER BY rowid DESC LIMIT 1`,
  /** The number of prompts and interrupts that wait. */
  waiting: `SELECT COUNT(*) AS waiting FROM gateway_requests WHERE state = 'accepted'`,
  payload: 'SELECT payload_json FROM gateway_requests WHERE request_id = ?',
  /** The request that came with that key. */
  underKey: `SELECT request_id, request_kind, payload_json, result_json
    FROM idempotency_keys JOIN gateway_requests ON request_id = subject_id WHERE scope = 'request' AND key = ?`,
} as const;

/** The tables `gateway_requests` and `request_errors`, one statement per method. */
export class RequestTable {
  readonly lists: RequestLists;
  readonly #statements;

  constructor(store: Store) {
    this.lists = new RequestLists(store);
    this.#statements = {
      insert: store.prepare<[string, string, string, string, number]>(
        `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, managed_agent_instance_epoch)
         VALUES (?, ?, ?, 'accepted', ?, ?) ON CONFLICT DO NOTHING`,
      ),
      find: store.prepare<[string], RequestRow>(`SELECT ${columns} FROM ${source} WHERE r.request_id = ?`),
      countActive: store.prepare<[], { depth: number }>(
        `SELECT (SELECT COUNT(*) FROM gateway_requests WHERE state = 'accepted')
              + (SELECT COUNT(*) FROM gateway_requests WHERE state = 'running') AS depth`,
      ),
      countAcceptedBefore: store.prepare<[number], { position: number }>(
        `SELECT COUNT(*) AS position FROM gateway_requests WHERE state = 'accepted' AND rowid < ?`,
      ),
      countAcceptedBeforeRequest: store.prepare<[string], { position: number }>(
        `SELECT COUNT(*) AS position FROM gateway_requests WHERE state = 'accepted'
           AND rowid < (SELECT rowid FROM gateway_requests WHERE request_id = ?)`,
      ),
      oldestAccepted: store.prepare<[number, number], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'accepted' AND r.rowid > ? ORDER BY r.rowid LIMIT ?`,
      ),
      oldestAcceptedId: store.prepare<[], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE state = 'accepted' ORDER BY rowid LIMIT 1`,
      ),
      anyAccepted: store.prepare<[], { found: 1 }>(
        `SELECT 1 AS found FROM gateway_requests WHERE state = 'accepted' LIMIT 1`,
      ),
      countRunning: store.prepare<[], { count: number }>(
        `SELECT COUNT(*) AS count FROM gateway_requests WHERE state = 'running'`,
      ),
      acceptedWithTurnId: store.prepare<[string], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE state = 'accepted' AND json_extract(payload_json, '$.turn_id') IS NOT NULL
           AND json_extract(payload_json, '$.turn_id') = ? LIMIT 1`,
      ),
      firstAcceptedTurnId: store.prepare<[], { turn_id: string }>(
        `SELECT json_extract(payload_json, '$.turn_id') AS turn_id FROM gateway_requests INDEXED BY gateway_requests_turn_ids
         WHERE state = 'accepted' AND json_extract(payload_json, '$.turn_id') IS NOT NULL ORDER BY rowid LIMIT 1`,
      ),
      running: store.prepare<[], RequestRow>(
        `SELECT ${columns} FROM ${source} WHERE r.state = 'running' ORDER BY r.rowid`,
      ),
      start: store.prepare<[string, string]>(
        `UPDATE gateway_requests SET state = 'running', started_at_utc = ? WHERE request_id = ? AND state = 'accepted'`,
      ),
      end: store.prepare<[string, string, string | null, string | null, string]>(
        `UPDATE gateway_requests SET state = ?, finished_at_utc = ?, error_detail = ?, result_json = ?
         WHERE request_id = ? AND state IN ('accepted', 'running')`,
      ),
      noteError: store.prepare<[string, string]>(
        `INSERT INTO request_errors (request_id, code) VALUES (?, ?) ON CONFLICT (request_id) DO UPDATE SET code = excluded.code`,
      ),
      adopt: store.prepare<[number, number]>(
        `UPDATE gateway_requests SET managed_agent_instance_epoch = ? WHERE state = 'accepted' AND managed_agent_instance_epoch < ?`,
      ),
      acceptedBeforeEpoch: store.prepare<[number], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE state = 'accepted' AND managed_agent_instance_epoch < ? ORDER BY rowid`,
      ),
      finishedBefore: store.prepare<[string, number], { request_id: string }>(
        `SELECT request_id FROM gateway_requests WHERE finished_at_utc IS NOT NULL AND finished_at_utc < ? ORDER BY rowid LIMIT ?`,
      ),
      forget: store.prepare<[string]>('DELETE FROM gateway_requests WHERE request_id = ?'),
      forgetError: store.prepare<[string]>('DELETE FROM request_errors WHERE request_id = ?'),
      acceptedInterrupts: store.prepare<[number], RequestRow>(
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
  /** Counts the rows accepted or running. Its cost grows with their number: call it at the start, then keep the count. */
  countActive(): number {
    return this.#statements.countActive.get()?.depth ?? 0;
  }
  oldestAcceptedId(): string | null {
    return this.#statements.oldestAcceptedId.get()?.request_id ?? null;
  }
  anyAccepted(): boolean {
    return this.#statements.anyAccepted.get() !== undefined;
  }
  countRunning(): number {
    return this.#statements.countRunning.get()?.count ?? 0;
  }
  countAcceptedBefore(rowid: number): number {
    return this.#statements.countAcceptedBefore.get(rowid)?.position ?? 0;
  }
  countAcceptedBeforeRequest(requestId: string): number {
    return this.#statements.countAcceptedBeforeRequest.get(requestId)?.position ?? 0;
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
  /** Returns the turn id of the oldest waiting request that has a requested one. */
  firstAcceptedTurnId(): string | null {
    return this.#statements.firstAcceptedTurnId.get()?.turn_id ?? null;
  }
  running(): RequestRow[] {
    return this.#statements.running.all();
  }
  /** @returns false when the row is no longer waiting. */
  start(requestId: string, atUtc: string): boolean {
    return this.#statements.start.run(atUtc, requestId).changes === 1;
  }
  /** @returns false when the row had ended before. */
  end(end: RequestEndRow): boolean {
    return (
      this.#statements.end.run(end.state, end.finishedAtUtc, end.errorDetail, end.resultJson, end.requestId)
        .changes === 1
    );
  }
  noteError(requestId: string, code: RecordErrorCode): void {
    this.#statements.noteError.run(requestId, code);
  }
  /** Returns the ids of requests that ended before a time, oldest first. */
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
