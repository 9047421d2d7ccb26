import { labelsIn, type PromptMetadata } from '../../contract/prompt-metadata.js';
import { promptBeginning } from '../../foundation/text.js';
import { storedError } from '../../run/record-error.js';
import type { TurnOutcome } from '../../run/running-turn.js';
import { listArtifacts, type SessionPaths, turnArtifacts } from '../../session/session-paths.js';
import type { Store } from '../../storage/store.js';
import type { StreamedTurn } from '../../turn/part-pages.js';
import { type TurnRecord, type TurnRow, type TurnTable, toTurnRecord } from '../../turn/turn-table.js';
import type { ObstacleCode } from '../readiness.js';
import type { RequestPage, RequestRow, RequestState } from './request-rows.js';
import type { RequestTable } from './request-table.js';

/** The reason why an accepted request does not run yet; `detail` is a sentence. */
export interface WaitingReason {
  code: Exclude<ObstacleCode, 'queued'> | 'behind';
  detail: string;
}

export type RequestRecord = ReturnType<typeof toRequestRecord>;

/** The place of an accepted request in the queue; null for every other request. */
interface QueuePlace {
  position: number;
  reason: WaitingReason | null;
}

/** Converts a row to a request as `GET /v1/requests` shows it (docs/decisions.md#request-records). */
function toRequestRecord(
  row: RequestRow,
  turn: TurnRecord | null,
  place: QueuePlace | null,
  metadata: PromptMetadata | undefined,
) {
  const result = parseObject(row.result_json);
  return {
    schema_version: 1 as const,
    request_id: row.request_id,
    request_kind: row.request_kind,
    state: row.state,
    accepted_at_utc: row.accepted_at_utc,
    started_at_utc: row.started_at_utc,
    finished_at_utc: row.finished_at_utc,
    managed_agent_instance_epoch: row.managed_agent_instance_epoch,
    queue_position: place?.position ?? null,
    waiting_reason: place?.reason ?? null,
    error: storedError(row.error_code, row.error_detail),
    superseded_by: textOrNull(result.coalesced_into_request_id),
    result: interruptResult(row, result),
    ...(result.delivered === false && { not_sent: textOrNull(result.detail) ?? 'It was not sent.' }),
    turn,
    prompt_preview: promptPreview(row),
    ...(metadata && { metadata }),
  };
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;

function interruptResult(row: RequestRow, result: Record<string, unknown>) {
  if (row.request_kind !== 'interrupt' || row.state !== 'completed') return null;
  return {
    outcome: result.outcome === 'stopped' ? ('stopped' as const) : ('no_op' as const),
    turn_id: textOrNull(result.turn_id),
    signal: stopSignals.find((signal) => signal === result.signal) ?? null,
  };
}

/** Returns the beginning of the prompt of a request; null for one that has none. */
export function promptPreview(row: Pick<RequestRow, 'payload_json'>): string | null {
  const prompt = parseObject(row.payload_json).prompt;
  return typeof prompt === 'string' ? promptBeginning(prompt) : null;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Parses a stored object. Rows that the gateway wrote are objects; a foreign or damaged one reads as empty. */
export function parseObject(json: string | null): Record<string, unknown> {
  if (json === null) return {};
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export interface RecordsParts {
  /** Runs reads on one consistent state. */
  read: Store['readAtOnce'];
  rows: RequestTable;
  turns: TurnTable;
  /** The number of requests accepted or running. */
  depth: () => number;
  /** Returns why a request waits at this place, counted from 0; null when nothing keeps it back and it is about to run. */
  waitingReason: (position: number) => WaitingReason | null;
  paths: SessionPaths;
}

/** The filter of a list of requests; without any field the list has all of them. */
export interface RequestFilter {
  state?: RequestState | undefined;
  /** The outcome of the request's turn. */
  outcome?: TurnOutcome | undefined;
  /** The labels that a request must have, all of them, such as `ticket=HOU-1`. */
  metadata?: readonly string[] | undefined;
}

/** A request as it was read at one moment. */
interface Found {
  row: RequestRow;
  turn: TurnRow | null;
  place: QueuePlace | null;
  metadata: PromptMetadata | undefined;
}

/** The requests and turns of a queue as callers see them, read by its gateway or from its file without one. */
export class RequestRecords {
  readonly #parts: RecordsParts;

  constructor(parts: RecordsParts) {
    this.#parts = parts;
  }

  find(requestId: string): RequestRecord | null {
    const found = this.#read(requestId);
    return found && this.#recordOf(found);
  }

  findTurn(turnId: string): TurnRecord | null {
    const row = this.#parts.turns.find(turnId);
    return row && this.#turnOf(row);
  }

  /** Returns a turn whose parts are to be read. */
  findStreamed(turnId: string): StreamedTurn | null {
    const row = this.#parts.turns.find(turnId);
    const { paths } = this.#parts;
    return (
      row && { row, parts: turnArtifacts(paths, turnId).parts, artifacts: () => listArtifacts(paths, turnId) }
    );
  }

  /** Returns the turn id that the queue will use next, if a caller chose one. */
  firstQueuedTurnId(): string | null {
    return this.#parts.rows.firstAcceptedTurnId();
  }

  /** Returns the request that the queue will start next. */
  nextRequestId(): string | null {
    return this.#parts.rows.oldestAcceptedId();
  }

  /**
   * Returns one page of at most `limit` requests, newest first.
   * @param before the `next` of the page before, which was requested with the same filter.
   */
  list(
    { state, outcome, metadata }: RequestFilter,
    before: number,
    limit: number,
  ): { records: RequestRecord[]; next: number | null } {
    const {
      read,
      rows: { lists },
      turns,
    } = this.#parts;
    const [label, ...others] = labelsIn(metadata);
    const pageOf = (): RequestPage => {
      if (label) {
        const about = { state: state ?? null, outcome: outcome ?? null };
        return lists.newestWithMetadata([label, ...others], about, before, limit);
      }
      if (outcome) return lists.newestWithOutcome(outcome, state ?? null, before, limit);
      return state ? lists.newestInState(state, before, limit) : lists.newest(before, limit);
    };
    return read(() => {
      const { rows, more } = pageOf();
      const places = label ? this.#placesOneByOne(rows) : this.#placesOf(rows, before);
      const labels = turns.metadata.of(rows.map((row) => row.request_id));
      const begun = rows.filter((row) => row.state !== 'accepted').map((row) => row.request_id);
      const turnOf = turns.ofRequestsWithoutAnswer(begun);
      return {
        records: rows.map((row) => {
          const turn = turnOf.get(row.request_id);
          return toRequestRecord(
            row,
            turn ? toTurnRecord(turn, [], false) : null,
            places.get(row.rowid) ?? null,
            labels.get(row.request_id),
          );
        }),
        next: more ? (rows.at(-1)?.rowid ?? null) : null,
      };
    });
  }

  #read(requestId: string): Found | null {
    const { read, rows, turns } = this.#parts;
    return read(() => {
      const row = rows.find(requestId);
      if (!row) return null;
      // A request that waits has no turn.
      const metadata = turns.metadata.of([requestId]).get(requestId);
      if (row.state !== 'accepted') return { row, turn: turns.ofRequest(requestId), place: null, metadata };
      return { row, turn: null, place: this.#placeAt(rows.countAcceptedBefore(row.rowid)), metadata };
    });
  }

  #recordOf({ row, turn, place, metadata }: Found): RequestRecord {
    return toRequestRecord(row, turn && this.#turnOf(turn), place, metadata);
  }

  #turnOf(row: TurnRow): TurnRecord {
    return toTurnRecord(row, listArtifacts(this.#parts.paths, row.turn_id), true);
  }

  #placeAt(position: number): QueuePlace {
    return { position, reason: this.#parts.waitingReason(position) };
  }

  /** Returns the places of the accepted rows of a page between which others wait. */
  #placesOneByOne(page: readonly RequestRow[]): Map<number, QueuePlace> {
    const { rows } = this.#parts;
    const accepted = page.filter(({ state }) => state === 'accepted');
    return new Map(
      accepted.map((row) => [row.rowid, this.#placeAt(rows.countAcceptedBeforeRequest(row.request_id))]),
    );
  }

  /**
   * Returns the places of the accepted rows of a page. They are counted once per page, because these rows follow each
   * other in the queue.
   */
  #placesOf(page: readonly RequestRow[], before: number): Map<number, QueuePlace> {
    const { rows, depth } = this.#parts;
    const oldestFirst = page.filter((row) => row.state === 'accepted').reverse();
    const [oldest] = oldestFirst;
    if (!oldest) return new Map();
    // On the first page no newer row waits, so all waiting rows that are not on the page come before it: no count that
    // grows with the queue is needed.
    const first =
      before === Number.MAX_SAFE_INTEGER
        ? depth() - rows.countRunning() - oldestFirst.length
        : rows.countAcceptedBefore(oldest.rowid);
    return new Map(oldestFirst.map((row, index) => [row.rowid, this.#placeAt(first + index)]));
  }
}

/** Encodes the cursor of a page, which is the row it ended at: rows added later come before that row and do not move it. */
export const encodeCursor = (rowid: number | null): string | null =>
  rowid === null ? null : Buffer.from(String(rowid)).toString('base64url');

/**
 * Returns the row to continue from; without a cursor, the page begins with the newest row.
 * @param cursor a text that matches the contract's pattern.
 */
export const decodeCursor = (cursor: string | null): number =>
  cursor === null ? Number.MAX_SAFE_INTEGER : Number(Buffer.from(cursor, 'base64url').toString('latin1'));
