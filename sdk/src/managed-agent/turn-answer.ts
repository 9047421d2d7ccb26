import { pause, type Stop, timeoutOf, withinLimits } from '../core/limits.js';
import { isLost } from '../core/retry/unknown-outcome.js';
import {
  afterLostLookMs,
  betweenLooksMs,
  longWaitSeconds,
  notNow,
  silenceLimitOf,
  watchedWaitSeconds,
} from '../work/waiting.js';
import { amended } from '../work/work-error.js';
import type { AgentMethod, Schemas } from './contract.js';
import { HoumaoError, type HoumaoErrorFields, isHoumaoError } from './houmao-error.js';
import { TurnFailed } from './turn-failed.js';

type TurnRecord = Schemas['TurnRecord'];
type RequestRecord = Schemas['RequestRecord'];

/** What is asked while an answer is waited for. */
export interface Looks {
  readonly getTurnRecord: AgentMethod<'getTurnRecord'>;
  readonly getGatewayRequest: AgentMethod<'getGatewayRequest'>;
}

/** How to wait for the end of a turn. */
export interface TurnAnswerOptions {
  /** Stops waiting. The turn goes on; `submitAgentRequest` with `interrupt` stops it. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all of it, the agent's work included. Default: no limit, for agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds without any usable answer of the server after which the waiting ends with `connection_failed`; `Infinity`
   * for no limit. An answer starts them anew. Default: 60000.
   */
  silenceMs?: number | undefined;
  /** Is told the turn as it stands: first at once, then about every two seconds, and when it has ended. */
  onUpdate?: ((turn: TurnRecord) => void) | undefined;
  /** Is told the request as it stands, at each look while the prompt waits in the queue of the agent's gateway. */
  onQueued?: ((request: RequestRecord) => void) | undefined;
}

/** What is known of a turn while it is waited for. */
export interface Sighting {
  readonly turnId: string;
  /** The request in the gateway's queue that begins it, where there is one. */
  readonly requestId: string | null;
  /** Whether the prompt still waits in that queue, by what was seen last. */
  queued: boolean;
  /** Whether the server has ever answered about it. */
  seen: boolean;
  /** When the first look that got no answer began; null while looks are answered. On the clock of `performance.now()`. */
  silentSince: number | null;
}

/** A turn of an agent, by its id: it may have been begun by another program, or long ago. */
export interface TurnHandle {
  readonly turnId: string;
  /**
   * Waits for the turn to end and returns the agent's answer as `prompt` does; an answer that is there already comes at
   * once.
   *
   * Rejects with {@link TurnFailed} when the turn brought no answer, and with a {@link HoumaoError} that carries the
   * `turnId` when the server does not know it, the limits ended the waiting, or the server was silent for a minute.
   */
  answer(options?: TurnAnswerOptions): Promise<string>;
}

export const createTurnHandle =
  (looks: Looks) =>
  (turnId: string): TurnHandle => ({
    turnId,
    answer: async (options = {}) => {
      const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
      const sighting: Sighting = { turnId, requestId: null, queued: false, seen: false, silentSince: null };
      return withinLimits(
        { timeoutMs, signal: options.signal },
        (signal) => answerOf(looks, sighting, options, signal),
        (stop) =>
          stoppedWaiting(stop, timeoutMs, whatBecomes(sighting), { operationId: 'getTurnRecord', turnId }),
      );
    },
  });

/**
 * The waiting itself, until `signal` fires; keeps `sighting` true, and bears lost connections.
 *
 * @throws TurnFailed when the turn ended without an answer.
 * @throws HoumaoError with `turnId` when a limit or a refusal ended the waiting.
 */
export async function answerOf(
  looks: Looks,
  sighting: Sighting,
  { onUpdate, onQueued, silenceMs }: TurnAnswerOptions,
  signal: AbortSignal,
): Promise<string> {
  const { turnId, requestId } = sighting;
  const silenceLimitMs = silenceLimitOf(silenceMs);
  let waitSeconds = onUpdate ? 0 : longWaitSeconds;
  for (;;) {
    const askedAt = performance.now();
    const look = lookAt(looks, sighting, waitSeconds, signal);
    const seen = await look.catch((error: unknown) => {
      if (!isHoumaoError(error) || error instanceof TurnFailed) throw error;
      if (!isLost(error) && !notNow.has(error.status)) throw amended(error, about({ turnId, requestId }));
      sighting.silentSince ??= askedAt;
      const silentMs = performance.now() - sighting.silentSince;
      if (silentMs > silenceLimitMs) throw silent(error, sighting, silentMs);
      return null;
    });
    if (seen !== null) {
      Object.assign(sighting, { seen: true, silentSince: null, queued: seen.queued !== null });
      waitSeconds = onUpdate ? watchedWaitSeconds : longWaitSeconds;
    }
    if (seen?.queued) onQueued?.(seen.queued);
    if (seen?.turn) {
      onUpdate?.(seen.turn);
      if (seen.turn.state === 'ended') return answerIn(seen.turn);
    }
    await pause(seen === null ? afterLostLookMs : betweenLooksMs, signal);
  }
}

/** The turn, or, while it has not begun, the request that waits in the gateway's queue. */
type Seen = { turn: TurnRecord; queued: null } | { turn: null; queued: RequestRecord };

/** Asks for the one or the other. */
async function lookAt(
  { getTurnRecord, getGatewayRequest }: Looks,
  { turnId, requestId }: Sighting,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Seen> {
  try {
    const query = { wait_seconds: waitSeconds };
    return {
      turn: await getTurnRecord({ path: { turn_id: turnId }, query, signal, maxRetries: 0 }),
      queued: null,
    };
  } catch (error) {
    if (!isHoumaoError(error) || error.status !== 404 || requestId === null) throw error;
  }
  // The wait is short: a request of an agent in a terminal is over only when its turn is well under way.
  const query = { wait_seconds: Math.min(waitSeconds, watchedWaitSeconds) };
  const request = await getGatewayRequest({ path: { request_id: requestId }, query, signal, maxRetries: 0 });
  if (request.turn) return { turn: request.turn, queued: null };
  if (['failed', 'cancelled', 'coalesced'].includes(request.state))
    throw new TurnFailed({ turn: null, request });
  return { turn: null, queued: request };
}

function answerIn(turn: TurnRecord): string {
  if (turn.outcome !== 'completed') throw new TurnFailed({ turn, request: null });
  return turn.answer?.text ?? '';
}

const about = ({ turnId, requestId }: Pick<Sighting, 'turnId' | 'requestId'>) => ({ turnId, requestId });

function silent(error: HoumaoError, sighting: Sighting, silentMs: number): HoumaoError {
  const detail = `The server has been silent for ${Math.round(silentMs / 1000)} s (${error.detail}) ${whatBecomes(sighting)}`;
  return amended(error, { errorCode: 'connection_failed', detail, cause: error, ...about(sighting) });
}

/** The error of a waiting that its caller ended. */
export function stoppedWaiting(
  stop: Stop,
  timeoutMs: number,
  whatBecomes: string,
  fields: Pick<HoumaoErrorFields, 'operationId' | 'turnId' | 'requestId' | 'idempotencyKey' | 'sent'>,
): HoumaoError {
  const why = stop.kind === 'timeout' ? `No answer within ${timeoutMs} ms.` : 'Stopped waiting.';
  return new HoumaoError({
    status: null,
    errorCode: stop.kind,
    detail: `${why} ${whatBecomes}`,
    cause: stop.kind === 'aborted' ? stop.reason : undefined,
    ...fields,
  });
}

/** What can truly be said of a turn that is waited for no longer. */
export function whatBecomes({ turnId, requestId, queued, seen, silentSince }: Sighting): string {
  if (!seen) return `How turn ${turnId} stands is not known.`;
  if (queued)
    return `The prompt was queued as request ${requestId}, to run as turn ${turnId}${silentSince === null ? '' : '; how it stands now is not known'}.`;
  if (silentSince === null) return `Turn ${turnId} goes on.`;
  return `Turn ${turnId} went on when the server last answered; how it stands now is not known.`;
}
