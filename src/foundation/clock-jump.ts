import type { Clock } from './clock.js';

/** Milliseconds. Drift and slow corrections of the clock stay below this. */
const toleranceMilliseconds = 60_000;

/** Notices that the wall clock was set: it then differs from the monotonic clock. */
export class ClockJump {
  readonly #clock: Clock;
  #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = offsetOf(clock);
  }

  /** By how many milliseconds the clock was set since the last look; 0 when it was not. */
  look(): number {
    const offset = offsetOf(this.#clock);
    const jump = offset - this.#offset;
    this.#offset = offset;
    return Math.abs(jump) > toleranceMilliseconds ? jump : 0;
  }
}

const offsetOf = (clock: Clock): number => clock.now().getTime() - clock.monotonic();
