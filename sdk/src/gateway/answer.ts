import { timeoutOf, withinLimits } from '../core/limits.js';
import { awaitEnd, stoppedBecause } from '../work/await-end.js';
import type { Silence as AnySilence } from '../work/silence.js';
import type { OperationMethods, Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';
import { PromptFailed } from './prompt-failed.js';

type RequestRecord = Schemas['RequestRecord'];
/** What is asked while an answer is waited for. */
export type Looks = Pick<OperationMethods, 'getRequest' | 'getTurn'>;

/** A stretch of time in which the gateway answered nothing, although it was asked again and again. */
export type Silence = AnySilence<GatewayError>;

/** How long to wait for the end of work, and who is told meanwhile. `Seen` is what a look shows. */
export interface WaitOptions<Seen> {
  /** Stops waiting. The work stays queued or goes on; `cancel` of its handle takes back what has not begun. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all of it, the agent's work included. Default: no limit, for agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds without any answer of the gateway after which the waiting ends with `connection_failed`. An answer starts
   * them anew. Default: no limit, since a gateway that is away may come back, and the work is not lost with it.
   */
  silenceMs?: number | undefined;
  /**
   * Is told how it stands: first at once, then about every two seconds, and when it has ended. While nobody answers it is
   * told, every two seconds or less often, what was seen last, with the `silence` as its second argument, which is null
   * otherwise. The request of an agent in a terminal is `completed` when the agent has the prompt, so look at its turn, too.
   */
  onUpdate?: ((seen: Seen, silence: Silence | null) => void) | undefined;
  /** Is told of the same silences, also before anything was seen. */
  onSilence?: ((silence: Silence) => void) | undefined;
}

/** How to wait for the end of a request and of its turn. */
export type AnswerOptions = WaitOptions<RequestRecord>;

/** What is known of a request while it is waited for. */
export interface Sighting {
  readonly requestId: string;
  /** Its state when the gateway last answered; null before the first answer. */
  state: RequestRecord['state'] | null;
  /** What it waited for then, as a sentence. */
  waitsFor?: string | null;
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
export async function awaitAnswer(looks: Looks, sighting: Sighting, options: AnswerOptions): Promise<string> {
  const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
  return withinLimits(
    { timeoutMs, signal: options.signal },
    (signal) => answerOf(looks, sighting, options, signal),
    (stop) => {
      const { requestId } = sighting;
      const why = stoppedBecause(stop, timeoutMs, whatBecomes(sighting));
      return new GatewayError({ ...why, requestId, operationId: 'getRequest' });
    },
  );
}

/** The waiting itself, until `signal` fires; keeps `sighting` true. */
export async function answerOf(
  looks: Looks,
  sighting: Sighting,
  { onUpdate, onSilence, silenceMs }: AnswerOptions,
  signal: AbortSignal,
): Promise<string> {
  const { requestId } = sighting;
  let record: RequestRecord | null = null;
  const work = {
    server: 'gateway',
    isFollowed: Boolean(onUpdate ?? onSilence),
    look: (waitSeconds: number, limit: AbortSignal) =>
      look(looks, requestId, record, { waitSeconds, signal: limit }),
    seen: (seen: RequestRecord) => {
      record = seen;
      const waitsFor = seen.waiting_reason?.detail ?? null;
      Object.assign(sighting, { state: seen.state, waitsFor, turnId: leftTurn(seen) });
      onUpdate?.(seen, null);
      return !unfinished.has(seen.state) && sighting.turnId === null;
    },
    silent: (silence: AnySilence) => {
      if (record !== null) onUpdate?.(record, silence as Silence);
      onSilence?.(silence as Silence);
    },
    becomes: () => whatBecomes(sighting),
  } as const;
  return answerIn(await awaitEnd(work, sighting, { silenceMs, signal, ids: { requestId } }));
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
  const isWithoutEnd = turn !== null && turn.state !== 'ended';
  if (state !== 'completed' || isWithoutEnd || (turn?.outcome && turn.outcome !== 'completed'))
    throw new PromptFailed(record);
  return turn?.answer?.text ?? '';
}

/** What can truly be said of a request that is waited for no longer. */
export function whatBecomes({ requestId, state, waitsFor, turnId, silentSince }: Sighting): string {
  if (turnId !== null && silentSince === null) return `Turn ${turnId} of request ${requestId} goes on.`;
  if (turnId !== null)
    return `Turn ${turnId} of request ${requestId} ran when the gateway last answered; its state now is not known.`;
  if (state === null) return `The state of request ${requestId} is not known.`;
  if (silentSince === null && state === 'accepted')
    return waitsFor
      ? `Request ${requestId} is queued; when the gateway last answered, it waited: ${waitsFor}`
      : `Request ${requestId} is taken: it waits in the queue, or runs by now.`;
  if (silentSince === null) return `Request ${requestId} goes on.`;
  return `Request ${requestId} was ${state} when the gateway last answered; its state now is not known.`;
}
