import { timeoutOf, withinLimits } from '../core/limits.js';
import { awaitEnd, stoppedBecause } from '../work/await-end.js';
import type { Silence as AnySilence } from '../work/silence.js';
import { watchedWaitSeconds } from '../work/waiting.js';
import type { AgentMethod, Schemas } from './contract.js';
import { HoumaoError, isHoumaoError } from './houmao-error.js';
import { TurnFailed } from './turn-failed.js';

type TurnRecord = Schemas['TurnRecord'];
type RequestRecord = Schemas['RequestRecord'];

/** The calls that are made while an answer is awaited. */
export interface Looks {
  readonly getTurnRecord: AgentMethod<'getTurnRecord'>;
  readonly getGatewayRequest: AgentMethod<'getGatewayRequest'>;
}

/** A time in which the server gave no usable answer to any of several calls. */
export type Silence = AnySilence<HoumaoError>;

/** The limits and callbacks of the wait for the end of a turn. */
export interface TurnAnswerOptions {
  /** Stops the waiting. The turn continues; `submitAgentRequest` with `interrupt` stops it. */
  signal?: AbortSignal | undefined;
  /** The milliseconds for the whole wait, the agent's work included. Default: no limit, because agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * The milliseconds without any usable answer of the server after which the waiting ends with `connection_failed`. Each answer
   * starts the time again. Default: no limit, since a server that is away may come back, and the turn is not lost with it.
   */
  silenceMs?: number | undefined;
  /**
   * Called with the turn: first at once, then about every two seconds, and when it has ended. During a silence it is called,
   * every two seconds or less often, with the last known turn, and with the `silence` as its second argument, which is null
   * otherwise.
   */
  onUpdate?: ((turn: TurnRecord, silence: Silence | null) => void) | undefined;
  /** Called with the request while the prompt waits in the queue of the agent's gateway: first at once, then after each check. */
  onQueued?: ((request: RequestRecord, silence: Silence | null) => void) | undefined;
  /** Called with the same silences, even before any state is known. */
  onSilence?: ((silence: Silence) => void) | undefined;
}

/** The facts about a turn during the wait. */
export interface Sighting {
  readonly turnId: string;
  /** The request in the gateway's queue that begins it; null when there is none. */
  readonly requestId: string | null;
  /** Whether the prompt still waited in that queue at the last check. */
  queued: boolean;
  /** Whether the server has ever answered about it. */
  seen: boolean;
  /** The time when the first unanswered check began, on the clock of `performance.now()`; null while checks are answered. */
  silentSince: number | null;
}

/**
 * Waits until the turn has ended, or `signal` or `timeoutMs` end the wait.
 *
 * @throws TurnFailed when the turn ended without an answer.
 * @throws HoumaoError with `turnId` when a limit or a refusal ended the waiting.
 */
export async function awaitAnswer(
  looks: Looks,
  sighting: Sighting,
  options: TurnAnswerOptions,
): Promise<string> {
  const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
  return withinLimits(
    { timeoutMs, signal: options.signal },
    (signal) => answerOf(looks, sighting, options, signal),
    (stop) => {
      const { turnId, requestId } = sighting;
      const why = stoppedBecause(stop, timeoutMs, whatBecomes(sighting));
      return new HoumaoError({ ...why, operationId: 'getTurnRecord', turnId, requestId });
    },
  );
}

/** Does the waiting itself, until `signal` fires; keeps `sighting` up to date, and tolerates lost connections. */
export async function answerOf(
  looks: Looks,
  sighting: Sighting,
  { onUpdate, onQueued, onSilence, silenceMs }: TurnAnswerOptions,
  signal: AbortSignal,
): Promise<string> {
  const { turnId, requestId } = sighting;
  let last: Seen | null = null;
  const notify = ({ turn, queued }: Seen, silence: Silence | null) => {
    if (queued) onQueued?.(queued, silence);
    if (turn) onUpdate?.(turn, silence);
  };
  const work = {
    server: 'server',
    isFollowed: Boolean(onUpdate ?? onQueued ?? onSilence),
    look: (waitSeconds: number, limit: AbortSignal) => lookAt(looks, sighting, waitSeconds, limit),
    seen: (seen: Seen) => {
      last = seen;
      Object.assign(sighting, { seen: true, queued: seen.queued !== null });
      if (seen.queued && neverRuns(seen.queued)) throw new TurnFailed({ turn: null, request: seen.queued });
      notify(seen, null);
      return seen.turn !== null && seen.turn.state !== 'running';
    },
    silent: (silence: AnySilence) => {
      if (last !== null) notify(last, silence as Silence);
      onSilence?.(silence as Silence);
    },
    becomes: () => whatBecomes(sighting),
  } as const;
  const { turn } = await awaitEnd(work, sighting, { silenceMs, signal, ids: { turnId, requestId } });
  return answerIn(turn!);
}

/** The turn, or, while it has not begun, the request that waits in the gateway's queue. */
type Seen = { turn: TurnRecord; queued: null } | { turn: null; queued: RequestRecord };

/** Reads the turn, or the request if there is no turn yet. */
async function lookAt(
  { getTurnRecord, getGatewayRequest }: Looks,
  { turnId, requestId }: Sighting,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Seen> {
  const look = <Path>(path: Path, wait_seconds: number) => ({
    path,
    query: { wait_seconds },
    signal,
    maxRetries: 0,
  });
  try {
    return { turn: await getTurnRecord(look({ turn_id: turnId }, waitSeconds)), queued: null };
  } catch (error) {
    if (!isHoumaoError(error) || error.status !== 404 || requestId === null) throw error;
  }
  // The wait is short, because a request of an agent in a terminal only ends when its turn has long begun.
  const request = await getGatewayRequest(
    look({ request_id: requestId }, Math.min(waitSeconds, watchedWaitSeconds)),
  );
  return request.turn ? { turn: request.turn, queued: null } : { turn: null, queued: request };
}

/** Every other state is an end without a turn, including those of newer gateways. */
const mayRun: readonly string[] = ['accepted', 'running', 'completed'];
const neverRuns = ({ state }: RequestRecord): boolean => !mayRun.includes(state);

function answerIn(turn: TurnRecord): string {
  if (turn.state !== 'ended' || turn.outcome !== 'completed') throw new TurnFailed({ turn, request: null });
  return turn.answer?.text ?? '';
}

/** Describes the state of a turn after the end of the wait, without claiming more than is known. */
export function whatBecomes({ turnId, requestId, queued, seen, silentSince }: Sighting): string {
  if (!seen) return `The state of turn ${turnId} is not known.`;
  if (queued)
    return `The prompt was queued as request ${requestId}, to run as turn ${turnId}${silentSince === null ? '' : '; its state now is not known'}.`;
  if (silentSince === null) return `Turn ${turnId} goes on.`;
  return `Turn ${turnId} ran when the server last answered; its state now is not known.`;
}
