import type { Clock } from '../../../foundation/clock.js';

/** As long as the older implementation waits. */
export const patienceMilliseconds = 5000;
/** A process that was stopped, or hardly ever ran, in that time has not waited. */
const fewestTries = 100;

/** How long somebody tries again to get what another process holds. */
export class Patience {
  readonly #clock: Clock;
  readonly #until: number;
  #tries = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#until = clock.monotonic() + patienceMilliseconds;
  }

  /** To be asked after each try that failed. */
  isOver(): boolean {
    this.#tries += 1;
    return this.#tries >= fewestTries && this.#clock.monotonic() >= this.#until;
  }
}
