import type { WorkError } from './work-error.js';

/** A stretch of time in which nobody answered who was asked again and again. */
export interface Silence<Failure extends WorkError = WorkError> {
  /** When the first look that got no answer began. */
  readonly since: Date;
  /** Milliseconds from then to now. */
  readonly forMs: number;
  /** What the last look failed with. */
  readonly error: Failure;
}

/** A silence is told when it has lasted so long, and again each time as much has passed: restarts are shorter. */
const tellEveryMs = 2000;

/** Measures silences, and tells of those that last. */
export class SilenceWatch {
  /** When the first look without an answer began; null while looks are answered. On the clock of `performance.now()`. */
  since: number | null = null;
  #tellAtMs = tellEveryMs;
  readonly #tell: (silence: Silence) => void;

  constructor(tell: (silence: Silence) => void) {
    this.#tell = tell;
  }

  answered(): void {
    this.since = null;
    this.#tellAtMs = tellEveryMs;
  }

  /** Takes note of a look that began at `askedAt` and got no answer; the milliseconds since the first such one. */
  lost(error: WorkError, askedAt: number): number {
    this.since ??= askedAt;
    const forMs = performance.now() - this.since;
    if (forMs >= this.#tellAtMs) {
      this.#tellAtMs = forMs + tellEveryMs;
      this.#tell({ since: new Date(Date.now() - forMs), forMs: Math.round(forMs), error });
    }
    return forMs;
  }
}
