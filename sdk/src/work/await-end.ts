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

/** Work that goes on at a server, and how it is asked for. */
export interface Watched<Seen> {
  /** Who is asked, in a word for people. */
  readonly server: 'gateway' | 'server';
  /** One look, which comes back when the work has ended, or after so many seconds. */
  look(waitSeconds: number, signal: AbortSignal): Promise<Seen>;
  /** Is told what each look saw; says whether that is the end. What it throws ends the waiting. */
  seen(what: Seen): boolean;
  /** Is told that nobody answers, at most every two seconds. */
  silent(silence: Silence): void;
  /** What can truly be said of the work now. */
  becomes(): string;
  /** Whether somebody wants to be told of what happens meanwhile. */
  readonly isFollowed: boolean;
}

/** What is known of the waiting itself; kept true by {@link awaitEnd}. */
export interface Listening {
  /** When the first look that got no answer began; null while looks are answered. On the clock of `performance.now()`. */
  silentSince: number | null;
}

/** The ids with which to ask again. */
export interface WorkIds {
  readonly requestId?: string | null;
  readonly turnId?: string | null;
}

/**
 * Looks again and again until the work has ended, and bears lost connections, restarts, and, without `silenceMs`, any
 * silence.
 *
 * @throws WorkError with the ids, for a refused look and for a silence beyond `silenceMs`.
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
      if (!isUnheard(error)) throw amended(error, ids);
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

/** Whether nobody answered who could know: the next look may find somebody. */
export const isUnheard = (error: WorkError): boolean =>
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

/** Why a waiting that its caller ended has ended, as fields of its error. */
export function stoppedBecause(stop: Stop, timeoutMs: number, becomes: string) {
  const why = stop.kind === 'timeout' ? `No answer within ${limitWords(timeoutMs)}.` : 'Stopped waiting.';
  return {
    status: null,
    errorCode: stop.kind,
    detail: `${why} ${becomes}`,
    cause: stop.reason,
  };
}
