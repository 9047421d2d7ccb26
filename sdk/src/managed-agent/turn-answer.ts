import { timeoutOf, withinLimits } from '../core/limits.js';
import { awaitEnd, stoppedBecause } from '../work/await-end.js';
import type { Silence as AnySilence } from '../work/silence.js';
import { watchedWaitSeconds } from '../work/waiting.js';
import type { AgentMethod, Schemas } from './contract.js';
import { HoumaoError, isHoumaoError } from './houmao-error.js';
import { TurnFailed } from './turn-failed.js';

type TurnRecord = Schemas['TurnRecord'];
type RequestRecord = Schemas['RequestRecord'];

/** What is asked while an answer is waited for. */
export interface Looks {
  readonly getTurnRecord: AgentMethod<'getTurnRecord'>;
  readonly getGatewayRequest: AgentMethod<'getGatewayRequest'>;
}

/** A stretch of time in which the server answered nothing that helps, although it was asked again and again. */
export type Silence = AnySilence<HoumaoError>;

/** How to wait for the end of a turn. */
export interface TurnAnswerOptions {
  /** Stops waiting. The turn goes on; `submitAgentRequest` with `interrupt` stops it. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all of it, the agent's work included. Default: no limit, for agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds without any usable answer of the server after which the waiting ends with `connection_failed`. An answer
   * starts them anew. Default: no limit, since a server that is away may come back, and the turn is not lost with it.
   */
  silenceMs?: number | undefined;
  /**
   * Is told the turn as it stands: first at once, then about every two seconds, and when it has ended. While nobody answers
   * it is told, every two seconds or less often, what was seen last, with the `silence` as its second argument, which is null otherwise.
   */
  onUpdate?: ((turn: TurnRecord, silence: Silence | null) => void) | undefined;
  /** Is told the request as it stands: first at once, then at each look while the prompt waits in the queue of the agent's gateway. */
  onQueued?: ((request: RequestRecord, silence: Silence | null) => void) | undefined;
  /** Is told of the same silences, also before anything was seen. */
  onSilence?: ((silence: Silence) => void) | undefined;
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

/**
 * The waiting, until `signal` or `timeoutMs` end it.
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

/** The waiting itself, until `signal` fires; keeps `sighting` true, and bears lost connections. */
export async function answerOf(
  looks: Looks,
  sighting: Sighting,
  { onUpdate, onQueued, onSilence, silenceMs }: TurnAnswerOptions,
  signal: AbortSignal,
): Promise<string> {
  const { turnId, requestId } = sighting;
  let last: Seen | null = null;
  const tell = ({ turn, queued }: Seen, silence: Silence | null) => {
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
      tell(seen, null);
      return seen.turn !== null && seen.turn.state !== 'running';
    },
    silent: (silence: AnySilence) => {
      if (last !== null) tell(last, silence as Silence);
      onSilence?.(silence as Silence);
    },
    becomes: () => whatBecomes(sighting),
  } as const;
  const { turn } = await awaitEnd(work, sighting, { silenceMs, signal, ids: { turnId, requestId } });
  return answerIn(turn!);
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
  // The wait is short: a request of an agent in a terminal is over only when its turn is well under way.
  const request = await getGatewayRequest(
    look({ request_id: requestId }, Math.min(waitSeconds, watchedWaitSeconds)),
  );
  return request.turn ? { turn: request.turn, queued: null } : { turn: null, queued: request };
}

/** Every state but these is an end without a turn, those of newer gateways too. */
const mayRun: readonly string[] = ['accepted', 'running', 'completed'];
const neverRuns = ({ state }: RequestRecord): boolean => !mayRun.includes(state);

function answerIn(turn: TurnRecord): string {
  if (turn.state !== 'ended' || turn.outcome !== 'completed') throw new TurnFailed({ turn, request: null });
  return turn.answer?.text ?? '';
}

/** What can truly be said of a turn that is waited for no longer. */
export function whatBecomes({ turnId, requestId, queued, seen, silentSince }: Sighting): string {
  if (!seen) return `The state of turn ${turnId} is not known.`;
  if (queued)
    return `The prompt was queued as request ${requestId}, to run as turn ${turnId}${silentSince === null ? '' : '; its state now is not known'}.`;
  if (silentSince === null) return `Turn ${turnId} goes on.`;
  return `Turn ${turnId} ran when the server last answered; its state now is not known.`;
}
