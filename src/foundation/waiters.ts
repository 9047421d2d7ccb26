/** Lets callers wait for something by its key, until somebody wakes them. A waiter that goes away leaves nothing behind. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** How many callers wait, for whatever key. */
  get count(): number {
    let count = 0;
    for (const waiting of this.#waiting.values()) count += waiting.size;
    return count;
  }

  /** Resolves when `key` is woken, after `ms`, or when `signal` aborts, whichever comes first. */
  wait(key: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      waiting.add(done);
    });
  }

  /** Call this after the commit that brought what is waited for. */
  wake(key: string): void {
    for (const done of [...(this.#waiting.get(key) ?? [])]) done();
  }

  /** Ends every wait, because the program stops. */
  releaseAll(): void {
    for (const key of [...this.#waiting.keys()]) this.wake(key);
  }
}
