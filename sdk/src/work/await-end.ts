import { limitWords, pause, type Stop } from '../core/limits.js';
import { isLost } from '../core/retry/unknown-outcome.js';
import { type Silence, SilenceWatch } from './silence.js';
import {
  afterLostLookMs,
  betweenLooksMs,
  longWaitSeconds,
  notNow,
  silenceLimitOf,
  watchedWaitSeconds,
} from './waiting.js';
import { amended, WorkError } from './work-error.js';

/** Work that continues at a server, and the way to check it. */
export interface Watched<Seen> {
  /** The kind of server, in a word for people. */
  readonly server: 'gateway' | 'server';
  /** Checks the work once; resolves when it has ended, or after `waitSeconds` seconds. */
  look(waitSeconds: number, signal: AbortSignal): Promise<Seen>;
  /** Called with the result of each check; returns whether that is the end. An error that it throws ends the waiting. */
  seen(what: Seen): boolean;
  /** Called while no server answers, at most every two seconds. */
  silent(silence: Silence): void;
  /** Describes the present state of the work, without claiming more than is known. */
  becomes(): string;
  /** Whether the caller has callbacks for the time of the wait. */
  readonly isFollowed: boolean;
}

/** The state of the waiting itself, which {@link awaitEnd} keeps up to date. */
export interface Listening {
  /** The time when the first unanswered check began, on the clock of `performance.now()`; null while checks are answered. */
  silentSince: number | null;
}

/** The ids for further calls about the work. */
export interface WorkIds {
  readonly requestId?: string | null;
  readonly turnId?: string | null;
}

/**
 * Checks again and again until the work has ended; tolerates lost connections, restarts, and, without `silenceMs`, any silence.
 *
 * @throws WorkError with the ids, for a refused check and for a silence longer than `silenceMs`.
 */
export async function awaitEnd<Seen>(
  work: Watched<Seen>,
  listening: Listening,
  { silenceMs, signal, ids }: { silenceMs: number | undefined; signal: AbortSignal; ids: WorkIds },
): Promise<Seen> {
  const silenceLimitMs = silenceLimitOf(silenceMs);
  const watch = new SilenceWatch((silence) => work.silent(silence));
  let waitSeconds = work.isFollowed ? 0 : longWaitSeconds;
  for (;;) {
    const askedAt = performance.now();
    const seen = await work.look(waitSeconds, signal).catch((error: unknown) => {
      if (!(error instanceof WorkError)) throw error;
      if (!isUnanswered(error)) throw amended(error, ids);
      const silentMs = watch.lost(error, askedAt);
      listening.silentSince = watch.since;
      if (silentMs > silenceLimitMs) throw tooSilent(error, work, silentMs, ids);
      return null;
    });
    if (seen !== null) {
      watch.answered();
      listening.silentSince = null;
      waitSeconds = work.isFollowed ? watchedWaitSeconds : longWaitSeconds;
      if (work.seen(seen)) return seen;
    }
    await pause(seen === null ? afterLostLookMs : betweenLooksMs, signal);
  }
}

/** Decides whether no server that knows the work has answered: the next check may reach one. */
export const isUnanswered = (error: WorkError): boolean =>
  (isLost(error) && !error.hopeless) || notNow.includes(error.status);

function tooSilent(
  error: WorkError,
  { server, becomes }: Pick<Watched<unknown>, 'server' | 'becomes'>,
  silentMs: number,
  ids: WorkIds,
): WorkError {
  const detail = `The ${server} has been silent for ${Math.round(silentMs / 1000)} s (${error.detail}) ${becomes()}`;
  return amended(error, { errorCode: 'connection_failed', detail, cause: error, ...ids });
}

/** Returns the fields of the error for a wait that the caller ended, by time limit or by signal. */
export function stoppedBecause(stop: Stop, timeoutMs: number, becomes: string) {
  const why = stop.kind === 'timeout' ? `No answer within ${limitWords(timeoutMs)}.` : 'Stopped waiting.';
  return {
    status: null,
    errorCode: stop.kind,
    detail: `${why} ${becomes}`,
    cause: stop.reason,
  };
}
