import { existsSync, readFileSync } from 'node:fs';
import { openDatabase } from '../../../src/foundation/open-database.js';
import type { SessionPaths } from '../../../src/session/session-paths.js';
import type { EventSeen, LedgerRow, RequestSeen, TurnSeen } from './facts.js';

/** The ledger as far as it was written; a line that is just being written is left for the next time. */
export function readLedger(file: string): LedgerRow[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerRow);
}

interface RequestRow {
  request_id: string;
  payload_json: string;
  state: string;
  error_detail: string | null;
  error_code: string | null;
}

interface TurnRow {
  turn_id: string;
  origin: string;
  request_id: string | null;
  state: string;
  delivery_state: string;
  delivery_evidence: string | null;
  outcome: string | null;
  error_code: string | null;
  error_detail: string | null;
}

interface EventRow {
  kind: string;
  subject_id: string | null;
  data_json: string;
}

export interface Stored {
  requests: RequestSeen[];
  turns: TurnSeen[];
  events: EventSeen[];
}

/** The rows that a gateway that does not run any more left in its database. @param waiting why requests waited, by their ids. */
export function readStored(paths: SessionPaths, waiting: ReadonlyMap<string, string>): Stored {
  if (!existsSync(paths.queue)) return { requests: [], turns: [], events: [] };
  const database = openDatabase(paths.queue);
  try {
    const requests = database
      .prepare<[], RequestRow>(
        'SELECT r.*, e.code AS error_code FROM gateway_requests r LEFT JOIN request_errors e USING (request_id) ORDER BY r.rowid',
      )
      .all();
    const turns = database.prepare<[], TurnRow>('SELECT * FROM turns ORDER BY rowid').all();
    const events = database
      .prepare<[], EventRow>('SELECT kind, subject_id, data_json FROM events ORDER BY seq')
      .all();
    return {
      requests: requests.map((row) => ({
        id: row.request_id,
        prompt: promptOf(row.payload_json),
        state: row.state,
        errorCode: row.error_code,
        errorDetail: row.error_detail,
        waiting: waiting.get(row.request_id) ?? null,
      })),
      turns: turns.map((row) => ({
        id: row.turn_id,
        origin: row.origin,
        requestId: row.request_id,
        state: row.state,
        delivery: row.delivery_state,
        evidence: row.delivery_evidence,
        outcome: row.outcome,
        errorCode: row.error_code,
        errorDetail: row.error_detail,
      })),
      events: events.map(({ kind, subject_id, data_json }) => ({
        kind,
        subject: subject_id,
        detail: detailOf(data_json),
      })),
    };
  } finally {
    database.close();
  }
}

const promptOf = (payload: string): string => (JSON.parse(payload) as { prompt?: string }).prompt ?? '';
const detailOf = (data: string): string | null =>
  (JSON.parse(data) as { error_detail?: string | null }).error_detail ?? null;
