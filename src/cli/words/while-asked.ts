import { isGatewayError, type Schemas } from '@houmao/sdk';
import { isHoumaoError } from '@houmao/sdk/managed-agent';
import type { Clock } from '../../foundation/clock.js';
import type { Following } from './following.js';
import { askedOfPerson } from './obstacle-words.js';

const lookMilliseconds = 2000;

/**
 * Waits for work, and tells the questions to a person that the agent's screen shows meanwhile: its turn runs on under them.
 * @param look at its screen; null for an agent that is known to have none. Where it is refused, it is not asked again.
 */
export async function whileAsked<T>(
  look: (() => Promise<Schemas['TerminalState']>) | null,
  following: Following,
  work: Promise<T>,
  clock: Clock,
): Promise<T> {
  if (look === null) return work;
  const over = new AbortController();
  const looking = (async () => {
    for (;;) {
      await clock.sleep(lookMilliseconds, over.signal);
      if (over.signal.aborted) return;
      try {
        const state = await look();
        if (!over.signal.aborted) following.onQuestion(askedOfPerson(state));
      } catch (error) {
        if (!isGatewayError(error) && !isHoumaoError(error)) throw error;
        if (error.status === 422) return;
      }
    }
  })();
  // A fault of ours is thrown once the work is over, not while nobody waits for it.
  looking.catch(() => undefined);
  try {
    return await work;
  } finally {
    over.abort();
    await looking;
  }
}
