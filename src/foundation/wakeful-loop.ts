import type { Clock } from './clock.js';

export interface LoopParts {
  /** Does one thing. @returns how many milliseconds to sleep; 0 to go on at once. */
  step: () => Promise<number>;
  /** Reports that a step failed. @returns how many milliseconds to sleep. */
  fault: (error: Error) => number;
  clock: Clock;
}

/**
 * Runs its step until it is stopped; between steps it sleeps as long as the last one asked for, or until it is woken.
 */
export class WakefulLoop {
  /** What a step returns to sleep until it is woken. */
  static readonly untilWoken = 2 ** 30;
  readonly #parts: LoopParts;
  #stopping = false;
  #wakeUp = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Call this when something has changed: a running step is followed by another one at once. */
  wake(): void {
    // Given a reason, abort makes no DOMException, which would cost more than everything else here.
    this.#wakeUp.abort('woken');
  }

  /** Resolves when the running step is done. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { step, fault, clock } = this.#parts;
    while (!this.#stopping) {
      this.#wakeUp = new AbortController();
      const pause = await step().catch(fault);
      if (pause > 0) await clock.sleep(pause, this.#wakeUp.signal);
    }
  }
}
