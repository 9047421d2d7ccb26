import { positive } from '../core/limits.js';

/** The longest time of one check, without and with callbacks for the caller. */
export const longWaitSeconds = 30;
export const watchedWaitSeconds = 2;
/** A pause that limits how often a server is called that answers early, as it does while it stops. */
export const betweenLooksMs = 50;
export const afterLostLookMs = 500;

/** The statuses that a stopping server, or a proxy in its place, gives to new checks. A later check may succeed. */
export const notNow: readonly (number | null)[] = [502, 503, 504];

/** Returns the given limit, or none; a RangeError for an impossible one. */
export const silenceLimitOf = (silenceMs: number | undefined): number =>
  positive('silenceMs', silenceMs ?? Number.POSITIVE_INFINITY);
