import type { Answer, Call, CallInit, Send, Try } from '../connection.js';
import { limitWords, pause, type Stop, timeoutOf, withinLimits } from '../limits.js';
import type { Log } from '../log.js';
import type { CallLimits } from '../operation.js';
import type { AnySurface } from '../surface.js';
import { type Ending, nextTryAfter } from './decide.js';
import { endEntry, type Outcome, outcomeOf, repeatEntry, tryEntry } from './log-entries.js';
import { retryAfterMs } from './retry-after.js';
import { type Known, newKey, saysDone, withKey } from './unknown-outcome.js';

/** The limits of a client's calls, unless a call sets its own. */
export interface Patience {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** Returns a number from 0 up to, not including, 1, by which the pauses between tries are shortened. */
  readonly random: () => number;
  readonly log: Log;
}

/** Returns the most repeats of a call; a RangeError for an impossible number. */
export function retriesOf({ maxRetries }: Pick<CallLimits, 'maxRetries'>, otherwise: number): number {
  const retries = maxRetries ?? otherwise;
  if (Number.isInteger(retries) && retries >= 0) return retries;
  throw new RangeError(`maxRetries must be a whole number, not ${retries}`);
}

/**
 * Turns single tries into a call: repeated as its operation's policy allows, under one deadline for all tries, with the same
 * Idempotency-Key.
 */
export function repeating(surface: AnySurface, once: Try, patience: Patience): Send {
  const { Failure, routes } = surface;
  return async (call) => {
    const { operationId, signal } = call;
    const policy = routes[operationId ?? '']?.retry ?? 'never';
    const maxRetries = retriesOf(call, patience.maxRetries);
    const limitMs = timeoutOf(call, patience.timeoutMs) + waitSecondsOf(call.init) * 1000;
    const [init, key] = policy === 'keyed' ? keyed(call) : [call.init, null];
    const known: Known = { key, sent: false, open: false };
    const startedAt = performance.now();
    const effort = { tries: 0, durationMs: 0 };
    const spent = (since: number) => Object.assign(effort, { durationMs: performance.now() - since });

    const work = async (limit: AbortSignal): Promise<Answer> => {
      for (let tries = 1; ; tries += 1) {
        const triedAt = performance.now();
        effort.tries = tries;
        const elapsedMs = triedAt - startedAt;
        const tried = await tryOnce({ ...call, init: shortened(init, elapsedMs) }, limit, tries);
        const situation = { policy, hasKey: key !== null, tries, maxRetries, random: patience.random() };
        const leftMs = limitMs - (performance.now() - startedAt);
        const pauseMs = tried.ending && nextTryAfter({ ...situation, ending: tried.ending, leftMs });
        patience.log(tryEntry(call, tried.outcome, spent(triedAt)));
        if (pauseMs === null) {
          patience.log(endEntry(call, tried.outcome, spent(startedAt)));
          return tried.result();
        }
        patience.log(repeatEntry(call, tried.outcome, effort, pauseMs));
        await pause(pauseMs, limit);
      }
    };
    /** Rejects when the try was given up, or its request could not be built. */
    const tryOnce = async (attempt: Call, limit: AbortSignal, tries: number): Promise<Tried> => {
      const { sent, open } = known;
      const onSent = () => Object.assign(known, { sent: true, open: true });
      try {
        const answer = await once(attempt, { limit, tries, onSent });
        known.open = open;
        const { response } = answer;
        return {
          ending: endingOf(response),
          outcome: outcomeOf(response),
          result: () => ({ ...answer, known }),
        };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (!error.sent) Object.assign(known, { sent, open });
        const result = () => {
          throw withKey(surface, error, known);
        };
        const { errorCode, status, httpRequestId } = error;
        const outcome = { status, errorCode, httpRequestId };
        if (errorCode !== 'connection_failed' || error.hopeless) return { ending: null, outcome, result };
        return { ending: { kind: error.sent ? 'lost' : 'unreached' }, outcome, result };
      }
    };
    const stopped = (stop: Stop) => {
      const errorCode = stop.kind;
      const detail =
        errorCode === 'timeout'
          ? `No answer from ${patience.baseUrl} within ${limitWords(limitMs)}.`
          : 'The caller aborted the call.';
      const outcome = { status: null, errorCode, httpRequestId: null };
      patience.log(endEntry(call, outcome, spent(startedAt)));
      const { reason: cause } = stop;
      const error = new Failure({ ...outcome, detail, operationId, sent: known.sent, cause });
      return withKey(surface, error, known);
    };
    return withinLimits({ timeoutMs: limitMs, signal }, work, stopped);
  };
}

interface Tried {
  readonly outcome: Outcome;
  /** Null when no other try may follow. */
  readonly ending: Ending | null;
  readonly result: () => Answer;
}

function endingOf({ status, headers }: Response): Ending {
  const asked = retryAfterMs(headers.get('Retry-After'), new Date());
  return { kind: 'answered', status, retryAfterMs: asked, done: saysDone(headers) };
}

const keyHeader = 'Idempotency-Key';

/** Returns the call with its key: the caller's own, or a new one if the call always gets one. */
function keyed({ init, makesKey }: Call): [CallInit, string | null] {
  const header = init.params?.header;
  const given = header?.[keyHeader];
  if (typeof given === 'string') return [init, given];
  if (!makesKey) return [init, null];
  const key = newKey();
  return [{ ...init, params: { ...init.params, header: { ...header, [keyHeader]: key } } }, key];
}

const waitSecondsOf = ({ params }: CallInit): number => Math.max(0, Number(params?.query?.wait_seconds) || 0);

/**
 * Returns the call with the rest of its waiting time: a long poll takes the time it requests, and a repeated one waits only for
 * the rest.
 */
function shortened(init: CallInit, elapsedMs: number): CallInit {
  const seconds = waitSecondsOf(init);
  const left = Math.max(0, Math.round(seconds * 1000 - elapsedMs) / 1000);
  // The first try sends the caller's value.
  if (seconds === 0 || elapsedMs < 100) return init;
  return { ...init, params: { ...init.params, query: { ...init.params?.query, wait_seconds: left } } };
}
