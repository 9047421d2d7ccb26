import type { Clock } from '../../src/foundation/clock.js';

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

  /** Sets the wall clock; timers do not notice. */
  set(utc: string): void {
    this.#wall = Date.parse(utc);
  }
}
