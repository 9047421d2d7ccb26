import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import { WakefulLoop } from '../../foundation/concurrency.js';
import type { DeliveryTable, MessageDelivery } from './delivery-table.js';
import type { Attempt, StoredNotification } from './notification.js';
import type { NotificationTable } from './notification-table.js';
import { afterAttempt } from './schedule.js';

export interface QueueParts {
  readonly journal: Journal;
  readonly notifications: NotificationTable;
  readonly deliveries: DeliveryTable;
  readonly clock: Clock;
  /** A number between 0 and 1. */
  random(): number;
  /** Makes one attempt. Never rejects. */
  attempt(
    notification: StoredNotification,
    message: Pick<MessageDelivery, 'messageId' | 'message'>,
    stopping: AbortSignal,
  ): Promise<Attempt>;
  /** Called when the server disabled the notification. */
  disabled(): void;
  fault(error: Error): void;
}

/** The clock may be set meanwhile, so nothing is slept through for longer. */
const longestSleep = 60_000;
const afterFaultMilliseconds = 1000;

/** Sends the messages of one notification, one at a time, whichever is due first. A receiver that hangs holds up only its own. */
export class MessageQueue {
  readonly #id: string;
  readonly #parts: QueueParts;
  readonly #loop: WakefulLoop;
  readonly #stopping = new AbortController();
  #underWay: string | null = null;

  constructor(id: string, parts: QueueParts) {
    this.#id = id;
    this.#parts = parts;
    this.#loop = new WakefulLoop({
      step: () => this.#step(),
      fault: (error) => {
        parts.fault(error);
        return afterFaultMilliseconds;
      },
      clock: parts.clock,
    });
    this.#loop.start();
  }

  /** The id of the message that is being sent now; null for none. */
  get underWay(): string | null {
    return this.#underWay;
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Ends the attempt that is under way, which is made again at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort('stopped');
    await this.#loop.stop();
  }

  async #step(): Promise<number> {
    const { notifications, deliveries, clock } = this.#parts;
    const notification = notifications.get(this.#id);
    if (!notification?.enabled) return WakefulLoop.untilWoken;
    const due = deliveries.next(this.#id);
    if (due === null) return WakefulLoop.untilWoken;
    const pause = (due.nextAt ?? 0) - clock.now().getTime();
    if (pause > 0) return Math.min(pause, longestSleep);
    this.#underWay = due.messageId;
    try {
      const attempt = await this.#parts.attempt(notification, due, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return WakefulLoop.untilWoken;
      await this.#settle(due, attempt);
    } finally {
      this.#underWay = null;
    }
    return 0;
  }

  async #settle({ messageId, attempts }: MessageDelivery, attempt: Attempt): Promise<void> {
    const { journal, notifications, deliveries, random, disabled, fault } = this.#parts;
    const id = this.#id;
    let isDisabled = false;
    await journal.writeAtLast(
      () => {
        const notification = notifications.get(id);
        if (notification === null) return;
        const decision = afterAttempt({
          attempt,
          attempts: attempts + 1,
          failingSince: notification.failingSince,
          retries: notification.target.kind === 'webhook',
          random: random(),
        });
        deliveries.settle(messageId, decision.state, attempt, decision.nextAt);
        if (decision.state === 'delivered') notifications.noteDelivered(id, attempt.at);
        else notifications.noteFailed(id, attempt, decision.failingSince);
        isDisabled = decision.disabledReason !== null;
        if (decision.disabledReason === null) return;
        notifications.disable(id, decision.disabledReason);
        deliveries.giveUpAll(id, disabledBefore(attempt.at));
        notifications.clearUnusedPlace();
      },
      (error) => fault(error as Error),
      this.#stopping.signal,
    );
    if (isDisabled) disabled();
  }
}

/** The attempt of messages that are given up because their notification was disabled. */
export const disabledBefore = (at: number): Attempt => ({
  at,
  code: 'disabled',
  status: null,
  retryAfterSeconds: null,
  detail: 'The notification was disabled before this was sent.',
});
