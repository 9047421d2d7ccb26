import type { Clock } from './clock.js';

export interface LoopParts {
  /** Does one thing. @returns for how many milliseconds there is nothing to do; 0 to go on at once. */
  step: () => Promise<number>;
  /** Tells of a fault of a step. @returns for how long to leave it alone. */
  fault: (error: Error) => number;
  clock: Clock;
}

/** Steps until it is stopped; between them it sleeps as long as the last one said, or until it is woken. */
export class WakefulLoop {
  /** For a step that has nothing to wait for but being woken. */
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

  /** Something changed; a step under way is followed by another one at once. */
  wake(): void {
    // With a reason of our own no DOMException is made, which costs more than everything else here.
    this.#wakeUp.abort('woken');
  }

  /** Resolves when the step under way is done. */
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
