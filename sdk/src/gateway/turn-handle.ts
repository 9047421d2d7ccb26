import { timeoutOf, withinLimits } from '../core/limits.js';
import type { CallLimits } from '../core/operation.js';
import { awaitEnd, stoppedBecause } from '../work/await-end.js';
import type { Silence as AnySilence } from '../work/silence.js';
import { unless } from '../work/stop-work.js';
import { amended } from '../work/work-error.js';
import type { Silence, WaitOptions } from './answer.js';
import type { OperationMethods, Schemas } from './contract.js';
import { GatewayError, isGatewayError } from './gateway-error.js';
import { PromptFailed } from './prompt-failed.js';
import { TurnFailed } from './turn-failed.js';

type TurnRecord = Schemas['TurnRecord'];

/** The limits and callbacks of the wait for the end of a turn. */
export type TurnAnswerOptions = WaitOptions<TurnRecord>;

/** A turn, by its id. Another program may have begun it, even long ago. */
export interface TurnHandle {
  /** The id to keep: with it any program can continue, now or tomorrow, through `client.turn(turnId)`. */
  readonly turnId: string;
  /** Reads the present state of the turn. Its errors carry the `turnId`. */
  record(options?: CallLimits): Promise<TurnRecord>;
  /**
   * Waits for the turn to end and returns the agent's answer; an answer that already exists is returned at once.
   *
   * Rejects with {@link TurnFailed} when it brought no answer, and with a {@link GatewayError} that carries the `turnId` when
   * the gateway does not know it, or a limit ended the waiting.
   */
  answer(options?: TurnAnswerOptions): Promise<string>;
  /**
   * Interrupts this turn and no other; does nothing when it has ended. Resolves when that is done; `record` and `answer` then
   * show how it ended.
   *
   * Rejects with {@link PromptFailed} of the interrupt when the running turn could not be stopped, and with a
   * {@link GatewayError} that carries the `turnId`.
   */
  interrupt(options?: CallLimits): Promise<void>;
}

type Look = Pick<OperationMethods, 'getTurn'>;
type Interrupting = Pick<OperationMethods, 'submitRequest' | 'getRequest'>;
/** The calls that a handle makes. */
export type TurnMethods = Look & Interrupting;

/** The seconds after which an interrupt that works has shown its effect. */
const interruptSeconds = 20;

/** Interrupts a turn. @returns false when the turn does not run. @throws PromptFailed when it could not be stopped. */
export async function interruptTurn(
  methods: Interrupting,
  turnId: string,
  limits: CallLimits,
): Promise<boolean> {
  const accepted = await methods
    .submitRequest({
      body: { kind: 'interrupt', payload: {} },
      headers: { 'X-Houmao-If-Turn': turnId },
      ...limits,
    })
    .catch(unless(412));
  if (!accepted) return false;
  const path = { request_id: accepted.request_id };
  const record = await methods.getRequest({ path, query: { wait_seconds: interruptSeconds }, ...limits });
  if (record.error) throw new PromptFailed(record);
  return true;
}

/** The facts about a turn during the wait. */
interface Sighting {
  readonly turnId: string;
  /** Whether it ran when the gateway last reported its state. */
  isRunning: boolean;
  /** The time when the first unanswered check began, on the clock of `performance.now()`; null while checks are answered. */
  silentSince: number | null;
}

/** @param isRunning whether the gateway has just reported that the turn has begun. */
export function turnHandle(look: TurnMethods, turnId: string, isRunning: boolean): TurnHandle {
  const path = { turn_id: turnId };
  const named = (error: unknown) => {
    throw isGatewayError(error) ? amended(error, { turnId }) : error;
  };
  return {
    turnId,
    record: (limits = {}) => look.getTurn({ path, ...limits }).catch(named),
    interrupt: async (limits = {}) => void (await interruptTurn(look, turnId, limits).catch(named)),
    answer: async (options = {}) => {
      const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
      const sighting: Sighting = { turnId, isRunning, silentSince: null };
      return withinLimits(
        { timeoutMs, signal: options.signal },
        (signal) => answerOf(look, sighting, options, signal),
        (stop) => {
          const why = stoppedBecause(stop, timeoutMs, whatBecomes(sighting));
          return new GatewayError({ ...why, turnId, operationId: 'getTurn' });
        },
      );
    },
  };
}

async function answerOf(
  { getTurn }: Look,
  sighting: Sighting,
  { onUpdate, onSilence, silenceMs }: TurnAnswerOptions,
  signal: AbortSignal,
): Promise<string> {
  const { turnId } = sighting;
  let last: TurnRecord | null = null;
  const work = {
    server: 'gateway',
    isFollowed: Boolean(onUpdate ?? onSilence),
    look: (waitSeconds: number, limit: AbortSignal) =>
      getTurn({ path: { turn_id: turnId }, query: { wait_seconds: waitSeconds }, signal: limit }),
    seen: (turn: TurnRecord) => {
      last = turn;
      sighting.isRunning = turn.state === 'running';
      onUpdate?.(turn, null);
      return !sighting.isRunning;
    },
    silent: (silence: AnySilence) => {
      if (last !== null) onUpdate?.(last, silence as Silence);
      onSilence?.(silence as Silence);
    },
    becomes: () => whatBecomes(sighting),
  } as const;
  const turn = await awaitEnd(work, sighting, { silenceMs, signal, ids: { turnId } });
  if (turn.state !== 'ended' || turn.outcome !== 'completed') throw new TurnFailed(turn);
  return turn.answer?.text ?? '';
}

/** Describes the state of a turn after the end of the wait, without claiming more than is known. */
function whatBecomes({ turnId, isRunning, silentSince }: Sighting): string {
  if (!isRunning) return `The state of turn ${turnId} is not known.`;
  if (silentSince === null) return `Turn ${turnId} goes on.`;
  return `Turn ${turnId} ran when the gateway last answered; its state now is not known.`;
}
