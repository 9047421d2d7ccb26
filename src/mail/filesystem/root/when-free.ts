import type { Clock } from '../../../foundation/clock.js';
import { MailFault } from '../../message/mail-fault.js';

const pauseMilliseconds = 10;

export const isBusy = (error: unknown): boolean =>
  ((error as { code?: string }).code ?? '').startsWith('SQLITE_BUSY');

/**
 * Tries work on a database again while another process holds it, without blocking the event loop.
 * @throws {MailFault} `locked` after five seconds, and whatever else the work throws.
 */
export async function whenFree<T>(clock: Clock, path: string, work: () => T): Promise<T> {
  const patience = new Patience(clock);
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (patience.isOver())
        throw new MailFault('locked', `${path}: another process has held the database for too long`, {
          cause: error,
        });
    }
    await clock.sleep(pauseMilliseconds);
  }
}

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
