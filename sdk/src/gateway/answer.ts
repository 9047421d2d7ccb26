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
import type { OperationMethods, Schemas } from './contract.js';
import { GatewayError, isGatewayError } from './gateway-error.js';
import { PromptFailed } from './prompt-failed.js';

type RequestRecord = Schemas['RequestRecord'];
/** What is asked while an answer is waited for. */
export type Looks = Pick<OperationMethods, 'getRequest' | 'getTurn'>;

/** How to wait for the end of a request and of its turn. */
export interface AnswerOptions {
  /** Stops waiting. The request stays queued or goes on; `cancelRequest` takes a waiting one back. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all of it, the agent's work included. Default: no limit, for agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds without any answer of the gateway after which the waiting ends with `connection_failed`; `Infinity` for
   * no limit. An answer starts them anew. Default: 60000.
   */
  silenceMs?: number | undefined;
  /**
   * Is told the request as it stands: first at once, then about every two seconds, and when it has ended. The request of
   * an agent in a terminal is `completed` when the agent has the prompt, so look at its turn, too.
   */
  onUpdate?: ((record: RequestRecord) => void) | undefined;
}

/** What is known of a request while it is waited for. */
export interface Sighting {
  readonly requestId: string;
  /** Its state when the gateway last answered; null before the first answer. */
  state: RequestRecord['state'] | null;
  /** The turn that goes on although its request is completed; null otherwise. */
  turnId: string | null;
  /** When the first look that got no answer began; null while looks are answered. On the clock of `performance.now()`. */
  silentSince: number | null;
}

/** Every other state is an end, those of newer gateways too: what is not known is not asked for without end. */
const unfinished: ReadonlySet<string> = new Set(['accepted', 'running']);

/** In a terminal a request is completed when the agent has its prompt, and the answer comes with the end of the turn. */
const leftTurn = ({ state, turn }: RequestRecord): string | null =>
  state === 'completed' && turn?.state === 'running' ? turn.turn_id : null;

/**
 * Waits for the request and its turn to end and returns the agent's answer; lost connections are borne.
 *
 * @throws PromptFailed when it ended without one.
 * @throws GatewayError with `requestId` when a limit or a refusal ended the waiting.
 */
export async function awaitAnswer(looks: Looks, requestId: string, options: AnswerOptions): Promise<string> {
  const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
  const sighting: Sighting = { requestId, state: null, turnId: null, silentSince: null };
  return withinLimits(
    { timeoutMs, signal: options.signal },
    (signal) => answerOf(looks, sighting, options, signal),
    (stop) =>
      stoppedWaiting(stop, timeoutMs, whatBecomes(sighting), { requestId, operationId: 'getRequest' }),
  );
}

/** The waiting itself, until `signal` fires; keeps `sighting` true. */
export async function answerOf(
  looks: Looks,
  sighting: Sighting,
  { onUpdate, silenceMs }: AnswerOptions,
  signal: AbortSignal,
): Promise<string> {
  const { requestId } = sighting;
  const silenceLimitMs = silenceLimitOf(silenceMs);
  let waitSeconds = onUpdate ? 0 : longWaitSeconds;
  let record: RequestRecord | null = null;
  for (;;) {
    const askedAt = performance.now();
    const seen: RequestRecord | null = await look(looks, requestId, record, { waitSeconds, signal }).catch(
      (error: unknown) => {
        if (!isGatewayError(error)) throw error;
        if (!isLost(error) && !notNow.has(error.status)) throw amended(error, { requestId });
        sighting.silentSince ??= askedAt;
        const silentMs = performance.now() - sighting.silentSince;
        if (silentMs > silenceLimitMs) throw silent(error, sighting, silentMs);
        return null;
      },
    );
    if (seen) {
      record = seen;
      Object.assign(sighting, { state: seen.state, turnId: leftTurn(seen), silentSince: null });
      onUpdate?.(seen);
      if (!unfinished.has(seen.state) && sighting.turnId === null) return answerIn(seen);
      waitSeconds = onUpdate ? watchedWaitSeconds : longWaitSeconds;
    }
    await pause(seen ? betweenLooksMs : afterLostLookMs, signal);
  }
}

/** Asks for the request, or, where that is completed and its turn is not, for the turn. */
async function look(
  { getRequest, getTurn }: Looks,
  requestId: string,
  before: RequestRecord | null,
  { waitSeconds, signal }: { waitSeconds: number; signal: AbortSignal },
): Promise<RequestRecord> {
  const how = { query: { wait_seconds: waitSeconds }, signal, maxRetries: 0 };
  const turnId = before && leftTurn(before);
  if (before === null || turnId === null) return getRequest({ path: { request_id: requestId }, ...how });
  return { ...before, turn: await getTurn({ path: { turn_id: turnId }, ...how }) };
}

function answerIn(record: RequestRecord): string {
  const { state, turn } = record;
  if (state !== 'completed' || (turn?.outcome && turn.outcome !== 'completed'))
    throw new PromptFailed(record);
  return turn?.answer?.text ?? '';
}

function silent(error: GatewayError, sighting: Sighting, silentMs: number): GatewayError {
  const detail = `The gateway has been silent for ${Math.round(silentMs / 1000)} s (${error.detail}) ${whatBecomes(sighting)}`;
  const { requestId } = sighting;
  return amended(error, { errorCode: 'connection_failed', detail, requestId, cause: error });
}

/** The error of a waiting that its caller ended. */
export function stoppedWaiting(
  stop: Stop,
  timeoutMs: number,
  whatBecomes: string,
  about: Pick<GatewayError, 'operationId'> &
    Partial<Pick<GatewayError, 'requestId' | 'idempotencyKey' | 'sent'>>,
): GatewayError {
  const why = stop.kind === 'timeout' ? `No answer within ${timeoutMs} ms.` : 'Stopped waiting.';
  return new GatewayError({
    status: null,
    errorCode: stop.kind,
    detail: `${why} ${whatBecomes}`,
    cause: stop.kind === 'aborted' ? stop.reason : undefined,
    ...about,
  });
}

/** What can truly be said of a request that is waited for no longer. */
export function whatBecomes({ requestId, state, turnId, silentSince }: Sighting): string {
  if (turnId !== null && silentSince === null) return `Turn ${turnId} of request ${requestId} goes on.`;
  if (turnId !== null)
    return `Turn ${turnId} of request ${requestId} ran when the gateway last answered; how it stands now is not known.`;
  if (state === null) return `How request ${requestId} stands is not known.`;
  if (silentSince === null) return `Request ${requestId} goes on.`;
  return `Request ${requestId} was ${state} when the gateway last answered; how it stands now is not known.`;
}
