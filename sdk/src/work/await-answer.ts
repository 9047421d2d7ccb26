import { limitWords, type Stop, timeoutOf, withinLimits } from '../core/limits.js';
import { retryWith } from '../core/retry/unknown-outcome.js';
import type { Silence } from './silence.js';
import { silenceLimitOf } from './waiting.js';
import { WorkError, type WorkErrors, type WorkIds } from './work-error.js';

/** The limits of the wait for the end of work, and the callbacks meanwhile. `Seen` is the state that a check returns. */
export interface WaitOptions<Seen> {
  /** Stops the waiting. The work stays queued or continues; its handle has the methods that stop it. */
  signal?: AbortSignal | undefined;
  /** The milliseconds for the whole wait, the agent's work included. Default: no limit, because agents work for hours. */
  timeoutMs?: number | undefined;
  /**
   * The milliseconds without any usable answer after which the waiting ends with `connection_failed`. Each answer starts the
   * time again. Default: no limit, since a gateway or server that is away may come back, and the work is not lost with it.
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

type Limits = Pick<WaitOptions<never>, 'signal' | 'timeoutMs' | 'silenceMs'>;

/** Work whose end is awaited. */
export interface AwaitedWork {
  readonly ids: WorkIds;
  /** The operation that checks it. */
  readonly operationId: string;
  /** Waits for its end, until `signal` fires, and returns the agent's answer; tolerates lost connections. */
  answer(signal: AbortSignal): Promise<string>;
  /** Describes its present state, without claiming more than is known. */
  becomes(): string;
}

/** A prompt that is submitted first. */
export interface Submission {
  submit(signal: AbortSignal): Promise<AwaitedWork>;
  /** The operation that submits it. */
  readonly operationId: string;
  /** A sentence for a prompt that was surely not submitted. */
  readonly nothing: string;
  /** A sentence for a prompt whose submission is unknown. */
  readonly unknown: string;
}

/**
 * Waits for the end of work and returns the agent's answer.
 *
 * @throws WorkError with the ids when the work brought no answer, or a limit or a refusal ended the waiting.
 */
export const awaitAnswer = async (errors: WorkErrors, options: Limits, work: AwaitedWork): Promise<string> =>
  within(
    errors,
    options,
    (signal) => work.answer(signal),
    () => stateOf(work),
  );

/**
 * Submits a prompt, waits for the end of its work, and returns the agent's answer.
 *
 * @throws WorkError also when the prompt was refused, with an `idempotencyKey` when it is unknown whether it was submitted.
 */
export async function awaitPrompt(
  errors: WorkErrors,
  options: Limits,
  submission: Submission,
): Promise<string> {
  silenceLimitOf(options.silenceMs);
  let work: AwaitedWork | undefined;
  return within(
    errors,
    options,
    async (signal) => {
      work = await submission.submit(signal);
      return work.answer(signal);
    },
    (error) => (work ? stateOf(work) : beforeTaken(submission, error)),
  );
}

/** The state of work when its caller stopped waiting: a sentence, and fields of the error. */
type StateAtStop = readonly [
  becomes: string,
  about: WorkIds & { operationId: string; sent?: boolean; idempotencyKey?: string },
];

function within(
  { Failure }: WorkErrors,
  options: Limits,
  wait: (signal: AbortSignal) => Promise<string>,
  state: (error: unknown) => StateAtStop,
): Promise<string> {
  const timeoutMs = timeoutOf(options, Number.POSITIVE_INFINITY);
  return withinLimits({ timeoutMs, signal: options.signal }, wait, (stop: Stop, error) => {
    const why = stop.kind === 'timeout' ? `No answer within ${limitWords(timeoutMs)}.` : 'Stopped waiting.';
    const [becomes, about] = state(error);
    const detail = `${why} ${becomes}`;
    return new Failure({ status: null, errorCode: stop.kind, detail, cause: stop.reason, ...about });
  });
}

const stateOf = ({ ids, operationId, becomes }: AwaitedWork): StateAtStop => [
  becomes(),
  { ...ids, operationId },
];

/** Returns what is known of a prompt whose submission was stopped. */
function beforeTaken({ operationId, nothing, unknown }: Submission, error: unknown): StateAtStop {
  const idempotencyKey = error instanceof WorkError ? error.idempotencyKey : null;
  if (idempotencyKey === null) return [nothing, { operationId, sent: false }];
  return [`${unknown} ${retryWith(idempotencyKey)}`, { operationId, sent: true, idempotencyKey }];
}
