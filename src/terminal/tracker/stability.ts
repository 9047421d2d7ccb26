import { createHash } from 'node:crypto';
import { toSortedJson } from '../../foundation/json-text.js';
import type { Observations, Stability } from './terminal-state.js';

/** A point in time on both clocks. */
export interface Moment {
  /** Milliseconds of a monotonic clock; only differences are meaningful. */
  at: number;
  date: Date;
}

/** The signature of the latest observations, and the digest of their text, which may be long. */
export interface StabilityWatch {
  signature: string;
  since: Moment;
  conversation: string | null;
  textDigest: string;
}

export const notStable = (since: Date): Stability => ({
  signature: '',
  stable: false,
  stableForSeconds: 0,
  stableSince: since,
});

/**
 * Compares the observations with the previous ones. Of the text only the conversation counts: around the composer something may
 * change all the time, such as a clock in the footer. The digest of an unchanged text is reused.
 */
export function watchStability(
  previous: StabilityWatch | null,
  observations: Observations,
  now: Moment,
): StabilityWatch {
  const conversation = observations.parsed?.text.conversation ?? null;
  const sameText = previous !== null && previous.conversation === conversation;
  const textDigest = sameText ? previous.textDigest : sha1(toSortedJson(conversation));
  const signature = signatureOf(observations, textDigest);
  const since = previous?.signature === signature ? previous.since : now;
  return { signature, since, conversation, textDigest };
}

export function stabilityOf(watch: StabilityWatch, now: Moment, thresholdSeconds: number): Stability {
  const stableForSeconds = Math.max(0, now.at - watch.since.at) / 1000;
  return {
    signature: watch.signature,
    stable: stableForSeconds >= thresholdSeconds,
    stableForSeconds,
    stableSince: watch.since.date,
  };
}

/** Returns the signature of all observations: of their canonical JSON, in which the digest replaces the text. */
const signatureOf = (observations: Observations, textDigest: string): string =>
  sha1(
    toSortedJson({
      diagnostics: observations.diagnostics,
      parsed: observations.parsed && { ...observations.parsed, text: textDigest },
      surface: observations.surface,
      phase: observations.phase,
      lastTurn: [
        observations.lastTurn.result,
        observations.lastTurn.source,
        observations.lastTurn.updatedAt?.getTime(),
      ],
      chatContext: [observations.chatContext, observations.chatContextDiagnostic],
    }),
  );

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

/** The time from which on the screen was not understood, in milliseconds of a monotonic clock; null while it is understood. */
export type NotUnderstoodSince = number | null;

/** Counts from the first screen that was not understood; a failed observation changes nothing. */
export function notUnderstoodSince(
  previous: NotUnderstoodSince,
  read: 'understood' | 'not_understood' | 'no_screen',
  at: number,
): NotUnderstoodSince {
  if (read === 'not_understood') return previous ?? at;
  return read === 'understood' ? null : previous;
}

export const isStalled = (since: NotUnderstoodSince, at: number, timeoutSeconds: number): boolean =>
  since !== null && at - since >= timeoutSeconds * 1000;
