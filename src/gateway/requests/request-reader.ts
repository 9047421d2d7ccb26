import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import {
  type RequestRecord,
  RequestRecords,
  type WaitingReason,
} from '../../dispatch/queue/request-records.js';
import { isFinal } from '../../dispatch/queue/request-rows.js';
import { type Axes, type AxesSource, behind, isHeldBack, obstacleFor } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { Waiters } from '../../foundation/concurrency.js';
import type { SessionPaths } from '../../session/session-paths.js';
import type { TurnRecord, TurnTable } from '../../turn/turn-table.js';

export interface ReaderParts {
  journal: Journal;
  queue: RequestJournal;
  turns: TurnTable;
  axes: Pick<AxesSource, 'now'>;
  waiters: Waiters;
  paths: SessionPaths;
}

/** Reads requests and turns, and waits for their ends. */
export class RequestReader extends RequestRecords {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    const { journal, queue, turns, axes, paths } = parts;
    super({
      read: (work) => journal.read(work),
      rows: queue.rows,
      depth: () => queue.depth,
      waitingReason: (position) => waitingReason(position, axes.now()),
      turns,
      paths,
    });
    this.#parts = parts;
  }

  /** Like {@link find}, but waits until the request is final, at most `seconds`. */
  async findFinal(requestId: string, seconds: number, signal: AbortSignal): Promise<RequestRecord | null> {
    const record = this.find(requestId);
    if (!record || seconds === 0 || isFinal(record.state)) return record;
    await this.#parts.waiters.wait(requestId, seconds * 1000, signal);
    return this.find(requestId);
  }

  /** Like {@link find}, but waits until the request has begun or is final, at most `seconds`. */
  async findStarted(requestId: string, seconds: number, signal: AbortSignal): Promise<RequestRecord | null> {
    const record = this.find(requestId);
    if (!record || seconds === 0 || record.state !== 'accepted') return record;
    const { waiters } = this.#parts;
    const enough = new AbortController();
    const gone = AbortSignal.any([signal, enough.signal]);
    const either = [requestId, startOf(requestId)].map((key) => waiters.wait(key, seconds * 1000, gone));
    await Promise.race(either);
    enough.abort();
    return this.find(requestId);
  }

  /** Like {@link findTurn}, but waits until the turn has ended, at most `seconds`. */
  async findEndedTurn(turnId: string, seconds: number, signal: AbortSignal): Promise<TurnRecord | null> {
    const turn = this.findTurn(turnId);
    if (!turn || seconds === 0 || turn.state !== 'running') return turn;
    await this.#parts.waiters.wait(turnId, seconds * 1000, signal);
    return this.findTurn(turnId);
  }
}

/** Returns the key by which {@link Waiters} are woken when a request has begun. */
export const startOf = (requestId: string): string => `start of ${requestId}`;

/** Returns why a request at this place waits; null when nothing keeps it back and it is about to run. */
function waitingReason(position: number, axes: Axes): WaitingReason | null {
  const obstacle = obstacleFor('queue', axes);
  if (position > 0 && !isHeldBack(obstacle)) return { code: 'behind', detail: behind(position) };
  if (obstacle === null || obstacle.code === 'queued') return null;
  return { code: obstacle.code, detail: obstacle.detail };
}
