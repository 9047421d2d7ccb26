import type { Clock } from '../../foundation/clock.js';
import type { SessionMailbox } from '../mail/session-mailbox.js';
import { isMailboxError } from './notifier-support.js';

export interface MailWatchParts {
  mailbox: Pick<SessionMailbox, 'use'>;
  clock: Clock;
  isWanted: () => boolean;
  changed: () => void;
  /** Called with faults that must not stay silent. */
  report: (fault: string) => void;
}

/** One wait for a change lasts so long at most: after it the binding is looked at again. */
const longestMilliseconds = 5000;
const faultMilliseconds = 1000;

/** Tells when something in the agent's mailbox has changed, for as long as that is wanted. */
export class MailWatch {
  readonly #parts: MailWatchParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: MailWatchParts) {
    this.#parts = parts;
  }

  /** Nothing happens where it runs already. */
  start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { mailbox, clock, isWanted, changed, report } = this.#parts;
    const { signal } = this.#stopping;
    let reported: string | null = null;
    while (!signal.aborted && isWanted()) {
      try {
        const isNew = await mailbox.use(({ transport }) => transport.change(signal, longestMilliseconds));
        reported = null;
        if (isNew && !signal.aborted) changed();
      } catch (error) {
        // The look at the end of the interval says what is wrong with the mailbox.
        const { message } = error as Error;
        // What lasts is told once.
        if (!isMailboxError(error) && message !== reported)
          report(`the mailbox cannot be watched: ${message}`);
        reported = message;
        await clock.sleep(faultMilliseconds, signal);
      }
    }
  }
}
