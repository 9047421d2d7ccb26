import type { CallLimits } from '../core/operation.js';
import type { AwaitedWork, WaitOptions } from './await-answer.js';
import { awaitEnd } from './await-end.js';
import type { WorkRequest, WorkTurn } from './end-of-work.js';
import type { Silence } from './silence.js';
import { WorkError, type WorkErrors } from './work-error.js';

/** Reads a turn; resolves when it has ended, or after `wait_seconds`. */
export type GetTurn = (
  call: CallLimits & { path: { turn_id: string }; query?: { wait_seconds: number } },
) => Promise<WorkTurn>;

/** Reads a queued request; resolves when it has ended, or after `wait_seconds`. */
export type GetRequest = (
  call: CallLimits & { path: { request_id: string }; query?: { wait_seconds: number } },
) => Promise<WorkRequest>;

/** The options of the wait for a turn whose prompt may wait in a queue first. */
export interface QueuedTurnOptions extends WaitOptions<WorkTurn> {
  /** Called with the request while the prompt waits in the queue of the agent's gateway: first at once, then after each check. */
  onQueued?: ((request: WorkRequest, silence: Silence | null) => void) | undefined;
}

/** A turn that is awaited. */
export interface WatchedTurn {
  readonly turnId: string;
  /** The request that begins it; null when there is none, or it is unknown. */
  readonly requestId: string | null;
  /** Whether it was seen: its prompt was accepted, or it runs. */
  readonly isKnown: boolean;
  /** The queue where its prompt may wait before it begins; null when the turn has begun. */
  readonly queue: TurnQueue | null;
}

/** The queue of a gateway, as the wait for a turn sees it. */
export interface TurnQueue {
  /** Reads a request once. */
  look(requestId: string, waitSeconds: number, signal: AbortSignal): Promise<WorkRequest>;
  /** @throws WorkError for a request that ended and never began its turn. */
  check(request: WorkRequest): void;
  /** Describes a prompt that waits there. */
  becomes(requestId: string | null, isSilent: boolean): string;
}

/** The turn, or, while it has not begun, the request that waits in the gateway's queue. */
type Seen = { turn: WorkTurn; queued: null } | { turn: null; queued: WorkRequest };

/** @param operationId the operation of `getTurn` */
export function turnWork(
  { server, turnFailed }: WorkErrors,
  operationId: string,
  getTurn: GetTurn,
  { turnId, requestId, isKnown, queue }: WatchedTurn,
  { onUpdate, onQueued, onSilence, silenceMs }: QueuedTurnOptions,
): AwaitedWork {
  // A turn that has not begun may name its request only when it is asked for.
  const ids = { turnId, requestId };
  const listening: { silentSince: number | null } = { silentSince: null };
  let [known, isQueued] = [isKnown, isKnown && requestId !== null];
  const notify = ({ turn, queued }: Seen, silence: Silence | null) => {
    if (queued) onQueued?.(queued, silence);
    if (turn) onUpdate?.(turn, silence);
  };
  const becomes = () => {
    const isSilent = listening.silentSince !== null;
    if (!known) return `The state of turn ${turnId} is not known.`;
    if (isQueued && queue) return queue.becomes(ids.requestId, isSilent);
    if (!isSilent) return `Turn ${turnId} goes on.`;
    return `Turn ${turnId} ran when the ${server} last answered; its state now is not known.`;
  };
  const watched = {
    server,
    isFollowed: Boolean(onUpdate ?? onQueued ?? onSilence),
    /** Reads the turn, or the request if there is no turn yet. */
    look: async (waitSeconds: number, signal: AbortSignal): Promise<Seen> => {
      const how = { query: { wait_seconds: waitSeconds }, signal, maxRetries: 0 };
      try {
        return { turn: await getTurn({ path: { turn_id: turnId }, ...how }), queued: null };
      } catch (error) {
        if (queue === null || !(error instanceof WorkError) || error.status !== 404) throw error;
        ids.requestId ??= error.requestId;
        if (ids.requestId === null) throw error;
        const request = await queue.look(ids.requestId, waitSeconds, signal);
        return request.turn ? { turn: request.turn, queued: null } : { turn: null, queued: request };
      }
    },
    seen: (seen: Seen) => {
      [known, isQueued] = [true, seen.queued !== null];
      if (seen.queued) queue?.check(seen.queued);
      notify(seen, null);
      return seen.turn !== null && seen.turn.state !== 'running';
    },
    silent: (silence: Silence, last: Seen | null) => {
      if (last !== null) notify(last, silence);
      onSilence?.(silence);
    },
    becomes,
  } as const;
  return {
    ids,
    operationId,
    becomes,
    answer: async (signal) => {
      const { turn } = await awaitEnd(watched, listening, { silenceMs, signal, ids });
      if (turn?.state !== 'ended' || turn.outcome !== 'completed') throw turnFailed(turn!);
      return turn.answer?.text ?? '';
    },
  };
}
