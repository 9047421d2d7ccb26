import type { TurnOutcome } from '../../run/turn-signs.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { listArtifacts } from '../../session/turn-artifacts.js';
import type { Store } from '../../storage/store.js';
import { type TurnRecord, toTurnRecord } from '../../turn/turn-record.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import type { RequestPage } from './request-lists.js';
import {
  type QueuePlace,
  type RequestRecord,
  toRequestRecord,
  type WaitingReason,
} from './request-record.js';
import type { RequestRow, RequestState } from './request-row.js';
import type { RequestTable } from './request-table.js';

export interface RecordsParts {
  /** Reads on one consistent state. */
  read: Store['readAtOnce'];
  rows: RequestTable;
  turns: TurnTable;
  /** Requests accepted or running. */
  depth: () => number;
  /** Why a request waits at this place, counted from 0; null when nothing keeps it back and it is about to run. */
  waitingReason: (position: number) => WaitingReason | null;
  paths: SessionPaths;
}

/** Which requests a list has; without either all of them. */
export interface RequestFilter {
  state?: RequestState | undefined;
  /** How the turn of the request ended. */
  outcome?: TurnOutcome | undefined;
}

/** What was read of a request at one moment. */
interface Found {
  row: RequestRow;
  turn: TurnRow | null;
  place: QueuePlace | null;
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

  /** The turn id that the queue will use next, if a caller chose one. */
  firstQueuedTurnId(): string | null {
    return this.#parts.rows.firstAcceptedTurnId();
  }

  /** The request that the queue will start next. */
  nextRequestId(): string | null {
    return this.#parts.rows.oldestAcceptedId();
  }

  /** One page of at most `limit`, newest first. @param before the `next` of the page before, asked for with the same filter. */
  list(
    { state, outcome }: RequestFilter,
    before: number,
    limit: number,
  ): { records: RequestRecord[]; next: number | null } {
    const {
      read,
      rows: { lists },
      turns,
    } = this.#parts;
    const pageOf = (): RequestPage => {
      if (outcome) return lists.newestWithOutcome(outcome, state ?? null, before, limit);
      return state ? lists.newestInState(state, before, limit) : lists.newest(before, limit);
    };
    return read(() => {
      const { rows, more } = pageOf();
      const places = this.#placesOf(rows, before);
      const begun = rows.filter((row) => row.state !== 'accepted').map((row) => row.request_id);
      const turnOf = turns.ofRequestsWithoutAnswer(begun);
      return {
        records: rows.map((row) => {
          const turn = turnOf.get(row.request_id);
          return toRequestRecord(
            row,
            turn ? toTurnRecord(turn, [], false) : null,
            places.get(row.rowid) ?? null,
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
      if (row.state !== 'accepted') return { row, turn: turns.ofRequest(requestId), place: null };
      return { row, turn: null, place: this.#placeAt(rows.countAcceptedBefore(row.rowid)) };
    });
  }

  #recordOf({ row, turn, place }: Found): RequestRecord {
    return toRequestRecord(row, turn && this.#turnOf(turn), place);
  }

  #turnOf(row: TurnRow): TurnRecord {
    return toTurnRecord(row, listArtifacts(this.#parts.paths, row.turn_id), true);
  }

  #placeAt(position: number): QueuePlace {
    return { position, reason: this.#parts.waitingReason(position) };
  }

  /**
   * Where the accepted rows of a page stand. Counted once per page, because these rows follow each other in the queue.
   */
  #placesOf(page: readonly RequestRow[], before: number): Map<number, QueuePlace> {
    const { rows, depth } = this.#parts;
    const oldestFirst = page.filter((row) => row.state === 'accepted').reverse();
    const [oldest] = oldestFirst;
    if (!oldest) return new Map();
    // On the first page nothing newer waits, so all waiting rows that are not on it come first: no count that grows
    // with the queue is needed.
    const first =
      before === Number.MAX_SAFE_INTEGER
        ? depth() - rows.countRunning() - oldestFirst.length
        : rows.countAcceptedBefore(oldest.rowid);
    return new Map(oldestFirst.map((row, index) => [row.rowid, this.#placeAt(first + index)]));
  }
}
