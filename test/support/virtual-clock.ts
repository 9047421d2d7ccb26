import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/foundation/clock.js';

/** Milliseconds of real time that something may take which the clock of a test brings about. */
const patience = 20_000;

/** Time that passes when a test says so. */
export class VirtualClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #sleepers = new Set<{ until: number; wake: () => void }>();

  constructor(startUtc: string) {
    this.#wall = Date.parse(startUtc);
  }

  now(): Date {
    return new Date(this.#wall);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = {
        until: this.#monotonic + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Lets time pass; sleepers whose time is over wake. */
  pass(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.until <= this.#monotonic) sleeper.wake();
  }

  /**
   * Lets time pass, a step at a time, until something comes of it.
   * @param between what happens between two steps, for what needs more than a turn of the event loop.
   */
  async passUntil<T>(
    awaited: Promise<T>,
    step: number,
    between: () => Promise<unknown> = nextTurn,
  ): Promise<T> {
    let isOver = false;
    const noted = awaited.finally(() => {
      isOver = true;
    });
    // Awaited below, unless it comes to nothing.
    noted.catch(() => undefined);
    const begun = this.#monotonic;
    const deadline = performance.now() + patience;
    while (!isOver) {
      if (performance.now() > deadline)
        throw new Error(
          `nothing came of it, though ${this.#monotonic - begun} ms have passed on the clock of the test`,
        );
      this.pass(step);
      await between();
    }
    return noted;
  }

  /** Sets the wall clock; timers do not notice. */
  set(utc: string): void {
    this.#wall = Date.parse(utc);
  }
}
