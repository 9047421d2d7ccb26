import { rowSchemas } from '../../dispatch/queue/queue-tables.js';
import type { Statement, Store, TableSchema } from '../../storage/store.js';
import type { TurnRow } from '../../turn/turn-table.js';

/** A prompt or an interrupt that came with a key, and its answer. */
export interface StoredTurnSubmission {
  body_digest: string;
  turn_id: string;
  answer_json: string;
}

const submissionSchema: TableSchema = {
  tables: `
CREATE TABLE IF NOT EXISTS turn_submissions (
  key TEXT PRIMARY KEY,
  body_digest TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  answer_json TEXT NOT NULL
) WITHOUT ROWID;
`,
};

/**
 * The table `turn_submissions`: keys of prompts and interrupts that the server gave the agent itself
 * (docs/decisions.md#idempotency-keys).
 */
export class SubmissionTable {
  readonly #insert: Statement<[string, string, string, string]>;

  constructor(store: Store) {
    this.#insert = store.prepare(
      'INSERT INTO turn_submissions (key, body_digest, turn_id, answer_json) VALUES (?, ?, ?, ?)',
    );
  }

  insert(key: string, { body_digest, turn_id, answer_json }: StoredTurnSubmission): void {
    this.#insert.run(key, body_digest, turn_id, answer_json);
  }
}

/** A turn and its place among the turns of its session, from 1 on. */
export type IndexedTurn = TurnRow & { turn_index: number };

/** A prompt or an interrupt that a gateway took under a key. */
export interface QueuedSubmission {
  body_digest: string;
  request_id: string;
  request_kind: string;
  payload_json: string;
  result_json: string | null;
}

/** A request of a gateway's queue that neither waits nor runs any more. */
export interface EndedRequest {
  request_id: string;
  state: string;
  error_detail: string | null;
}

const withoutAnswer = `rowid AS turn_index, turn_id, origin, request_id, tool, state, started_at_utc, ended_at_utc,
  delivery_state, delivery_at_utc, delivery_evidence, outcome, provider_session_id, model, exit_code, signal, error_code,
  error_detail, substr(answer_text, 1, 400) AS answer_text, answer_truncated, processes_json, NULL AS usage_json`;

/** The part of a database that is needed for reading. */
interface Readable {
  prepare(source: string): { all(...parameters: unknown[]): unknown[] };
}

/**
 * The records of a session, whichever program wrote them; one statement per method. A table that does not exist yet
 * counts as empty.
 */
export class SessionRecords {
  readonly #store: Readable;
  readonly #prepared = new Map<string, ReturnType<Readable['prepare']>>();

  constructor(store: Readable) {
    this.#store = store;
  }

  turn(turnId: string): IndexedTurn | null {
    const usage =
      '(SELECT usage_json FROM turn_usage WHERE turn_usage.turn_id = turns.turn_id) AS usage_json';
    const [row] = this.#all<IndexedTurn>(
      `SELECT *, rowid AS turn_index, ${usage} FROM turns WHERE turn_id = ?`,
      turnId,
    );
    return row ?? null;
  }
  /** Returns turns, the latest begun first, with only the beginning of their answers. */
  newest(limit: number): IndexedTurn[] {
    return this.#all(`SELECT ${withoutAnswer} FROM turns ORDER BY rowid DESC LIMIT ?`, limit);
  }
  running(): IndexedTurn | null {
    const [row] = this.#all<IndexedTurn>(
      `SELECT ${withoutAnswer} FROM turns WHERE state = 'running' ORDER BY rowid DESC LIMIT 1`,
    );
    return row ?? null;
  }
  /** Returns when an interrupt of a running turn was requested. */
  interruptRequested(turnId: string): string | null {
    const [row] = this.#all<{ requested_at_utc: string }>(
      'SELECT requested_at_utc FROM turn_interrupt WHERE turn_id = ?',
      turnId,
    );
    return row?.requested_at_utc ?? null;
  }
  /** Returns the turn that ended last. */
  latestEnded(): IndexedTurn | null {
    const [row] = this.#all<IndexedTurn>(
      `SELECT ${withoutAnswer} FROM turns WHERE state = 'ended' ORDER BY ended_at_utc DESC, rowid DESC LIMIT 1`,
    );
    return row ?? null;
  }
  /** Returns the index that the next turn will have. */
  nextIndex(): number {
    const [row] = this.#all<{ last: number | null }>('SELECT max(rowid) AS last FROM turns');
    return (row?.last ?? 0) + 1;
  }
  /** Returns the request in a gateway's queue whose prompt is to become that turn. */
  waitingFor(turnId: string): string | null {
    const [row] = this.#all<{ request_id: string }>(
      `SELECT request_id FROM gateway_requests
       WHERE state IN ('accepted', 'running') AND json_extract(payload_json, '$.turn_id') = ? LIMIT 1`,
      turnId,
    );
    return row?.request_id ?? null;
  }
  /** Returns the request that named that turn and ended before it, which few do: completed ones have had their turn. */
  endedFor(turnId: string): EndedRequest | null {
    const [row] = this.#all<EndedRequest>(
      `SELECT request_id, state, error_detail FROM gateway_requests
       WHERE state IN ('failed', 'coalesced', 'cancelled') AND json_extract(payload_json, '$.turn_id') = ?
       ORDER BY rowid DESC LIMIT 1`,
      turnId,
    );
    return row ?? null;
  }
  /** Returns whether the queue of its gateway takes requests and starts none. */
  isQueuePaused(): boolean {
    return this.#all<{ paused: number }>('SELECT paused FROM queue_control')[0]?.paused === 1;
  }
  submission(key: string): StoredTurnSubmission | null {
    const [row] = this.#all<StoredTurnSubmission>(
      'SELECT body_digest, turn_id, answer_json FROM turn_submissions WHERE key = ?',
      key,
    );
    return row ?? null;
  }
  queuedSubmission(key: string): QueuedSubmission | null {
    const [row] = this.#all<QueuedSubmission>(
      `SELECT body_digest, request_id, request_kind, payload_json, result_json FROM idempotency JOIN gateway_requests USING (request_id) WHERE key = ?`,
      key,
    );
    return row ?? null;
  }

  #all<Row>(source: string, ...parameters: unknown[]): Row[] {
    try {
      let statement = this.#prepared.get(source);
      if (!statement) {
        statement = this.#store.prepare(source);
        this.#prepared.set(source, statement);
      }
      return statement.all(...parameters) as Row[];
    } catch (error) {
      if ((error as Error).message.startsWith('no such table')) return [];
      throw error;
    }
  }
}

/** The tables of `queue.sqlite` that the server uses besides those of its events; a gateway adds tables of its own. */
export const sessionSchemas: readonly TableSchema[] = [...rowSchemas, submissionSchema];
