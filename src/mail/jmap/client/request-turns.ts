import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../../foundation/clock.js';
import type { Answered } from './exchange.js';
import { ServerFault } from './server-fault.js';

/** A server takes so many requests of one user at a time: the others wait for their turn. */
export class RequestTurns {
  readonly #clock: Clock;
  readonly #slots: LimitFunction = pLimit(1);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set atOnce(count: number) {
    this.#slots.concurrency = count;
  }

  /**
   * @param limit milliseconds that the turn is waited for. @param signal ends the wait.
   * @throws {ServerFault} `unreachable` where there was none: it is not asked then, nor later.
   */
  async run(ask: () => Promise<Answered>, limit: number, signal: AbortSignal | undefined): Promise<Answered> {
    const begun = new AbortController();
    let isLate = false;
    const done = this.#slots(async () => {
      if (isLate) return null;
      begun.abort();
      return ask();
    });
    const ends = signal ? [begun.signal, signal] : [begun.signal];
    await Promise.race([done.catch(() => null), this.#clock.sleep(limit, AbortSignal.any(ends))]);
    isLate = !begun.signal.aborted;
    const answer = isLate ? null : await done;
    if (answer !== null) return answer;
    throw new ServerFault(
      'unreachable',
      `the mail server is busy with other requests of this mailbox; nothing was asked within ${Math.ceil(limit / 100) / 10} s`,
    );
  }
}
