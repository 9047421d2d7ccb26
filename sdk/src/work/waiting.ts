import { positive } from '../core/limits.js';

/** How long one look at what is waited for may take, where nobody watches it and where somebody does. */
export const longWaitSeconds = 30;
export const watchedWaitSeconds = 2;
/** Limits how often a server is asked that answers early, as it does while it stops. */
export const betweenLooksMs = 50;
export const afterLostLookMs = 500;

/** What a server that stops answers to new looks, and what a proxy answers in its place. The next one may know more. */
export const notNow: readonly (number | null)[] = [502, 503, 504];

/** The limit as given, or none; a RangeError for what cannot be meant. */
export const silenceLimitOf = (silenceMs: number | undefined): number =>
  positive('silenceMs', silenceMs ?? Number.POSITIVE_INFINITY);
