import { timeoutOf, withinLimits } from '../core/limits.js';
import { awaitEnd, stoppedBecause } from '../work/await-end.js';
import type { Silence as AnySilence } from '../work/silence.js';
import type { OperationMethods, Schemas } from './contract.js';
import { GatewayError } from './gateway-error.js';
import { PromptFailed } from './prompt-failed.js';

type RequestRecord = Schemas['RequestRecord'];
/** The calls that are made while an answer is awaited. */
export type Looks = Pick<OperationMethods, 'getRequest' | 'getTurn'>;

/** A time in which the gateway answered none of several calls. */
export type Silence = AnySilence<GatewayError>;

/** The limits of the wait for the end of work, and the callbacks meanwhile. `Seen` is the state that a check returns. */
export interface WaitOptions<Seen> {
  /** Stops the waiting. The work stays queued or continues; `cancel` of its handle takes it back if it has not begun. */
  signal?: AbortSignal | undefined;
  /** The milliseconds for the whole wait, the agent's work included. Default: no limit, because agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * The milliseconds without any answer of the gateway after which the waiting ends with `connection_failed`. Each answer
   * starts the time again. Default: no limit, since a gateway that is away may come back, and the work is not lost with it.
   */
  silenceMs?: number | undefined;
  /**
   * Called with the state: first at once, then about every two seconds, and when the work has ended. During a silence it is
   * called, every two seconds or less often, with the last known state, and with the `silence` as its second argument, which is
   * null otherwise. The request of an agent in a terminal is `completed` when the agent has the prompt, so check its turn, too.
   */
  onUpdate?: ((seen: Seen, silence: Silence | null) => void) | undefined;
  /** Called with the same silences, even before any state is known. */
  onSilence?: ((silence: Silence) => void) | undefined;
}

/** The limits and callbacks of the wait for the end of a request and of its turn. */
export type AnswerOptions = WaitOptions<RequestRecord>;

/** The facts about a request during the wait. */
export interface Sighting {
  readonly requestId: string;
  /** Its state when the gateway last answered; null before the first answer. */
  state: RequestRecord['state'] | null;
  /** The reason why it waited then, as a sentence. */
  waitsFor?: string | null;
  /** The turn that continues although its request is completed; null otherwise. */
  turnId: string | null;
  /** The time when the first unanswered check began, on the clock of `performance.now()`; null while checks are answered. */
  silentSince: number | null;
}

/** Every other state counts as an end, including those of newer gateways: an unknown state must not be polled forever. */
const unfinished: ReadonlySet<string> = new Set(['accepted', 'running']);

/**
 * Returns the turn that outlives its request. In a terminal a request is completed when the agent has its prompt, and the
 * answer comes with the end of the turn.
 */
const leftTurn = ({ state, turn }: RequestRecord): string | null =>
  state === 'completed' && turn?.state === 'running' ? turn.turn_id : null;

/**
 * Waits for the request and its turn to end and returns the agent's answer; tolerates lost connections.
 *
 * @throws PromptFailed when it ended without an answer.
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

/** Does the waiting itself, until `signal` fires; keeps `sighting` up to date. */
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

/** Reads the request, or its turn if the request is completed and the turn is not. */
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

/** Describes the state of a request after the end of the wait, without claiming more than is known. */
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
