import type { Clock } from '../../../foundation/clock.js';
import { MailFault } from '../../message/mail-fault.js';

/** As long as the older implementation waits. */
const patienceMilliseconds = 5000;
const pauseMilliseconds = 10;

export const isBusy = (error: unknown): boolean =>
  ((error as { code?: string }).code ?? '').startsWith('SQLITE_BUSY');

/**
 * Tries work on a database again while another process holds it, without blocking the event loop.
 * @throws {MailFault} `locked` after five seconds, and whatever else the work throws.
 */
export async function whenFree<T>(clock: Clock, path: string, work: () => T): Promise<T> {
  const until = clock.monotonic() + patienceMilliseconds;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (clock.monotonic() >= until)
        throw new MailFault('locked', `${path}: another process holds the database for too long`, {
          cause: error,
        });
    }
    await clock.sleep(pauseMilliseconds);
  }
}
