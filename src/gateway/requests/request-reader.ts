import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import { isFinal, type RequestRow, type RequestState } from '../../dispatch/queue/request-row.js';
import { type Axes, type AxesSource, behind, obstacleFor } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { Waiters } from '../../foundation/waiters.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { listArtifacts } from '../../session/turn-artifacts.js';
import { toTurnRecord } from '../../turn/turn-record.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import {
  type QueuePlace,
  type RequestRecord,
  type TurnRecord,
  toRequestRecord,
  type WaitingReason,
} from './request-record.js';

export interface ReaderParts {
  journal: Journal;
  queue: RequestJournal;
  turns: TurnTable;
  axes: Pick<AxesSource, 'now'>;
  waiters: Waiters;
  paths: SessionPaths;
}

/** What was read of a request at one moment. */
interface Found {
  row: RequestRow;
  turn: TurnRow | null;
  place: QueuePlace | null;
}

/** Reads requests and turns, and waits for their ends. */
export class RequestReader {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  find(requestId: string): RequestRecord | null {
    const found = this.#read(requestId);
    return found && this.#recordOf(found);
  }

  /** Like {@link find}, but waits until the request is final, at most `seconds`. */
  async findFinal(requestId: string, seconds: number, signal: AbortSignal): Promise<RequestRecord | null> {
    const found = this.#read(requestId);
    if (!found || seconds === 0 || isFinal(found.row.state)) return found && this.#recordOf(found);
    await this.#parts.waiters.wait(requestId, seconds * 1000, signal);
    return this.find(requestId);
  }

  findTurn(turnId: string): TurnRecord | null {
    const row = this.#parts.turns.find(turnId);
    return row && this.#turnOf(row);
  }

  /** Like {@link findTurn}, but waits until the turn has ended, at most `seconds`. */
  async findEndedTurn(turnId: string, seconds: number, signal: AbortSignal): Promise<TurnRecord | null> {
    const row = this.#parts.turns.find(turnId);
    if (!row || seconds === 0 || row.state !== 'running') return row && this.#turnOf(row);
    await this.#parts.waiters.wait(turnId, seconds * 1000, signal);
    return this.findTurn(turnId);
  }

  /** The turn id that the queue will use next, if a caller chose one. */
  firstQueuedTurnId(): string | null {
    return this.#parts.queue.rows.firstAcceptedTurnId();
  }

  /** The request that the queue will start next. */
  nextRequestId(): string | null {
    return this.#parts.queue.rows.oldestAcceptedId();
  }

  /** One page of at most `limit`, newest first. @param before only rows inserted before this one. */
  list(
    state: RequestState | null,
    before: number,
    limit: number,
  ): { records: RequestRecord[]; next: number | null } {
    const { journal, queue, turns } = this.#parts;
    return journal.read(() => {
      const { rows, more } =
        state === null ? queue.rows.newest(before, limit) : queue.rows.newestInState(state, before, limit);
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
    const { journal, queue, turns } = this.#parts;
    return journal.read(() => {
      const row = queue.rows.find(requestId);
      if (!row) return null;
      // A request that waits has no turn.
      if (row.state !== 'accepted') return { row, turn: turns.ofRequest(requestId), place: null };
      return { row, turn: null, place: this.#placeAt(queue.rows.countAcceptedBefore(row.rowid)) };
    });
  }

  #recordOf({ row, turn, place }: Found): RequestRecord {
    return toRequestRecord(row, turn && this.#turnOf(turn), place);
  }

  #turnOf(row: TurnRow): TurnRecord {
    return toTurnRecord(row, listArtifacts(this.#parts.paths, row.turn_id), true);
  }

  #placeAt(position: number): QueuePlace {
    return { position, reason: waitingReason(position, this.#parts.axes.now()) };
  }

  /**
   * Where the accepted rows of a page stand. Counted once per page, because these rows follow each other in the queue.
   */
  #placesOf(page: readonly RequestRow[], before: number): Map<number, QueuePlace> {
    const { queue, axes } = this.#parts;
    const oldestFirst = page.filter((row) => row.state === 'accepted').reverse();
    const [oldest] = oldestFirst;
    if (!oldest) return new Map();
    // On the first page nothing newer waits, so all waiting rows that are not on it come first: no count that grows
    // with the queue is needed.
    const first =
      before === Number.MAX_SAFE_INTEGER
        ? queue.depth - queue.rows.countRunning() - oldestFirst.length
        : queue.rows.countAcceptedBefore(oldest.rowid);
    const now = axes.now();
    return new Map(
      oldestFirst.map((row, index) => [
        row.rowid,
        { position: first + index, reason: waitingReason(first + index, now) },
      ]),
    );
  }
}

/** Why a request at this place waits; null when nothing keeps it back and it is about to run. */
function waitingReason(position: number, axes: Axes): WaitingReason | null {
  const obstacle = obstacleFor('queue', axes);
  const holdsAll = obstacle !== null && ['unavailable', 'reconciliation', 'paused'].includes(obstacle.code);
  if (position > 0 && !holdsAll) return { code: 'behind', detail: behind(position) };
  if (obstacle === null || obstacle.code === 'queued') return null;
  return { code: obstacle.code, detail: obstacle.detail };
}
