import type { WorkError } from './work-error.js';

/** A time in which several calls brought no usable answer. */
export interface Silence {
  /** The time when the first unanswered check began. */
  readonly since: Date;
  /** The milliseconds from then to now. */
  readonly forMs: number;
  /** The error of the last check. */
  readonly error: WorkError;
}

/** The time after which a silence is reported, and reported again: restarts are shorter. */
const reportEveryMs = 2000;

/** Measures silences, and reports those that last. */
export class SilenceWatch {
  /** The time when the first unanswered check began, on the clock of `performance.now()`; null while checks are answered. */
  since: number | null = null;
  #reportAtMs = reportEveryMs;
  readonly #report: (silence: Silence) => void;

  constructor(report: (silence: Silence) => void) {
    this.#report = report;
  }

  answered(): void {
    this.since = null;
    this.#reportAtMs = reportEveryMs;
  }

  /** Records a check that began at `askedAt` and got no answer; returns the milliseconds since the first such check. */
  lost(error: WorkError, askedAt: number): number {
    this.since ??= askedAt;
    const forMs = performance.now() - this.since;
    if (forMs >= this.#reportAtMs) {
      this.#reportAtMs = forMs + reportEveryMs;
      this.#report({ since: new Date(Date.now() - forMs), forMs: Math.round(forMs), error });
    }
    return forMs;
  }
}
