import type { Clock } from './clock.js';

/** Lets callers wait for something by its key, until another caller wakes them. A waiter that gives up leaves nothing behind. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** The number of callers that wait, over all keys. */
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

  /** Wakes all that wait for `key`. Call it after the commit of the change that they wait for. */
  wake(key: string): void {
    for (const done of [...(this.#waiting.get(key) ?? [])]) done();
  }

  /** Ends every wait, because the program stops. */
  releaseAll(): void {
    for (const key of [...this.#waiting.keys()]) this.wake(key);
  }
}

/** A promise and its resolver. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Runs one piece of work at a time, in the order in which they were given. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Shares work among callers: each gets the outcome of a run that began after its call, and at most one run waits behind another. */
export class SharedRuns<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  run(): Promise<T> {
    if (this.#running === null) return this.#begin();
    const begin = (): Promise<T> => {
      this.#next = null;
      return this.#begin();
    };
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<T> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = null;
    });
    this.#running = running;
    return running;
  }
}

/**
 * Lets calls that arrive under a key while the first one is under way share its outcome, also its error: a call that is repeated
 * because its answer was lost never runs a second time beside itself.
 */
export class OncePerKey<Answer> {
  readonly #underWay = new Map<string, { digest: string; answer: Promise<Answer> }>();

  /**
   * @param digest of the content of the call.
   * @param work started only when no call is under way with this key.
   * @returns null when a call with another content is under way with this key; `shared` when the
   * answer is that of an earlier call.
   */
  async run(
    key: string,
    digest: string,
    work: () => Promise<Answer>,
  ): Promise<{ answer: Answer; shared: boolean } | null> {
    const known = this.#underWay.get(key);
    if (known) return known.digest === digest ? { answer: await known.answer, shared: true } : null;
    const answer = work();
    this.#underWay.set(key, { digest, answer });
    try {
      return { answer: await answer, shared: false };
    } finally {
      this.#underWay.delete(key);
    }
  }
}

export interface LoopParts {
  /** Does one piece of work. @returns the milliseconds to sleep; 0 to continue at once. */
  step: () => Promise<number>;
  /** Reports a failed step. @returns the milliseconds to sleep. */
  fault: (error: Error) => number;
  clock: Clock;
}

/**
 * Runs its step until it is stopped. Between two steps it sleeps for the time that the last one returned, or until it is woken.
 */
export class WakefulLoop {
  /** Returned by a step: sleep until the loop is woken. */
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

  /** Call it after a change: the running step is followed by another one at once. */
  wake(): void {
    // With a reason, `abort` makes no DOMException, which would cost more than everything else here.
    this.#wakeUp.abort('woken');
  }

  /** Stops the loop. Resolves when the running step has ended. */
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

/** Calls a function when a signal aborts, or now where it has. @returns the function that lets go of the signal. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  signal.addEventListener('abort', act, { once: true });
  if (signal.aborted) act();
  return () => signal.removeEventListener('abort', act);
}
