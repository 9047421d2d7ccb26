/** Wakes those who wait for a request or turn to become final. A waiter that goes away leaves nothing behind. */
export class Finals {
  readonly #waiters = new Map<string, Set<() => void>>();

  /** Resolves when `id` becomes final, after `ms`, or when `signal` aborts, whichever comes first. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiters.delete(id);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      waiters.add(done);
    });
  }

  /** Call it after the commit that made `id` final. */
  reached(id: string): void {
    for (const done of [...(this.#waiters.get(id) ?? [])]) done();
  }

  /** Lets every waiter go, because the gateway goes down. */
  releaseAll(): void {
    for (const id of [...this.#waiters.keys()]) this.reached(id);
  }
}
