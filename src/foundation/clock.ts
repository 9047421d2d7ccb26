/** The only source of time; tests inject their own. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never step back; only differences are meaningful. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** Milliseconds. Drift and slow corrections of the clock stay below this. */
const toleranceMilliseconds = 60_000;

/** Detects that the wall clock was set: its distance from the monotonic clock has changed then. */
export class ClockJump {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = offsetOf(clock);
  }

  /** Returns by how many milliseconds the clock was set since the last call; 0 when it was not set. */
  check(): number {
    const offset = offsetOf(this.#clock);
    const jump = offset - this.#offset;
    this.#offset = offset;
    return Math.abs(jump) > toleranceMilliseconds ? jump : 0;
  }
}

const offsetOf = (clock: Clock): number => clock.now().getTime() - clock.monotonic();
