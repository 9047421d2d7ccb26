import type { Clock } from '../../../foundation/clock.js';
import { MailFault } from '../../message/mail-fault.js';

const pauseMilliseconds = 10;

export const isBusy = (error: unknown): boolean =>
  ((error as { code?: string }).code ?? '').startsWith('SQLITE_BUSY');

/**
 * Tries work on a database again while another process holds the database, without blocking the event loop.
 * @throws {MailFault} `locked` after five seconds, and any other error of the work.
 */
export async function whenFree<T>(clock: Clock, path: string, work: () => T): Promise<T> {
  const patience = new RetryLimit(clock);
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (patience.isReached())
        throw new MailFault('locked', `${path}: another process has held the database for too long`, {
          cause: error,
        });
    }
    await clock.sleep(pauseMilliseconds);
  }
}

/** The older implementation waits as long. */
export const patienceMilliseconds = 5000;
/** A process that was stopped, or hardly ran, during that time has not really waited. */
const fewestTries = 100;

/** Limits how long a caller tries again to get something that another process holds. */
export class RetryLimit {
  readonly #clock: Clock;
  readonly #until: number;
  #tries = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#until = clock.monotonic() + patienceMilliseconds;
  }

  /** Decides whether the patience is used up. Call it after each try that failed. */
  isReached(): boolean {
    this.#tries += 1;
    return this.#tries >= fewestTries && this.#clock.monotonic() >= this.#until;
  }
}
