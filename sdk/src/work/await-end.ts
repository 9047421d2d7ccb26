import { pause } from '../core/limits.js';
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
import { amended, WorkError, type WorkIds } from './work-error.js';

/** Work that continues at a server, and the way to check it. */
export interface Watched<Seen> {
  /** The kind of server, in a word for people. */
  readonly server: 'gateway' | 'server';
  /** Checks the work once; resolves when it has ended, or after `waitSeconds` seconds. */
  look(waitSeconds: number, signal: AbortSignal): Promise<Seen>;
  /** Called with the result of each check; returns whether that is the end. An error that it throws ends the waiting. */
  seen(what: Seen): boolean;
  /** Called while no server answers, at most every two seconds, with the result of the last check; null before the first one. */
  silent(silence: Silence, last: Seen | null): void;
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
  let last: Seen | null = null;
  const watch = new SilenceWatch((silence) => work.silent(silence, last));
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
      last = seen;
      watch.answered();
      listening.silentSince = null;
      waitSeconds = work.isFollowed ? watchedWaitSeconds : longWaitSeconds;
      if (work.seen(seen)) return seen;
    }
    await pause(seen === null ? afterLostLookMs : betweenLooksMs, signal);
  }
}

/** Decides whether no server that knows the work has answered: the next check may reach one. */
const isUnanswered = (error: WorkError): boolean =>
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

/** The limits of a stream that ends without an error when its caller's signal fires. */
export interface StreamLimits {
  readonly silenceMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Waits as {@link awaitEnd} does, for the next part of a stream. @returns null when the signal fired first. */
export async function awaitNext<Seen>(
  work: Watched<Seen>,
  limits: StreamLimits,
  ids: WorkIds = {},
): Promise<Seen | null> {
  try {
    return await awaitEnd(work, { silentSince: null }, { ...limits, ids });
  } catch (error) {
    if (limits.signal.aborted) return null;
    throw error;
  }
}
