import { randomBytes } from 'node:crypto';
import { EventStream } from '../../contract/event-stream.js';
import type { Journal } from '../../events/journal.js';
import { type Clock, toSecondStamp } from '../../foundation/clock.js';
import { WakefulLoop } from '../../foundation/concurrency.js';
import type { HostEventFeed, HostEventPage } from '../events/host-event-feed.js';
import type { DeliveryTable } from './delivery-table.js';
import { messageOf } from './message.js';
import { isWanted } from './notification.js';
import type { NotificationTable } from './notification-table.js';

export interface OutboxParts {
  readonly feed: Pick<HostEventFeed, 'answer'>;
  readonly journal: Journal;
  readonly notifications: NotificationTable;
  readonly deliveries: DeliveryTable;
  readonly clock: Clock;
  /** The address of the server, for the links of messages. */
  readonly baseUrl: string;
  /** Returns the message of a notification that is being sent now. */
  underWay(notificationId: string): string | null;
  /** Called when messages of a notification are on disk. */
  filled(notificationId: string): void;
  fault(error: Error): void;
}

const pageLength = 200;
const waitSeconds = 30;
const afterFaultMilliseconds = 1000;
/** The most messages of one notification that wait. */
export const mostPending = 1000;
/** The messages of one notification that are kept when they have ended. */
const keptEnded = 100;

/**
 * Makes messages of the events of all agents. The messages and the place up to which they were made are one transaction, so that each
 * event is put in once, whenever this process dies. While no notification is enabled it reads nothing.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #loop: WakefulLoop;
  #waiting = new AbortController();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#loop = new WakefulLoop({
      step: () => this.#step(),
      fault: (error) => {
        parts.fault(error);
        return afterFaultMilliseconds;
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Call it when notifications have changed. */
  changed(): void {
    this.#waiting.abort('changed');
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    this.#waiting.abort('stopped');
    await stopped;
  }

  async #step(): Promise<number> {
    const { feed, notifications } = this.#parts;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const after = notifications.place;
    if (after === null) return WakefulLoop.untilWoken;
    const wanted = { after, limit: pageLength, waitSeconds, streams: false, signal: waiting.signal };
    const page = await feed.answer(wanted);
    if (page instanceof EventStream) throw new Error('A page was asked for.');
    if (page.next_after !== after) await this.#fill(after, page);
    return 0;
  }

  async #fill(after: string, { events, next_after }: HostEventPage): Promise<void> {
    const { journal, notifications, deliveries, clock, baseUrl, filled, underWay } = this.#parts;
    const touched = await journal.write(() => {
      const ids = new Set<string>();
      // Meanwhile the last notification was disabled, or another one began.
      if (notifications.place !== after) return ids;
      const now = clock.now();
      for (const notification of notifications.enabled()) {
        const { id } = notification;
        for (const item of events) {
          if (!isWanted(notification, item)) continue;
          const message = messageOf(item, { notificationId: id, baseUrl, nowUtc: toSecondStamp(now) });
          deliveries.insert(id, newMessageId(), message, now.getTime());
          ids.add(id);
          if (deliveries.pending(id) <= mostPending) continue;
          deliveries.giveUpOldest(id, underWay(id));
          notifications.noteMissed(id);
        }
        if (ids.has(id)) deliveries.forgetEnded(id, keptEnded);
      }
      notifications.putPlace(next_after);
      return ids;
    });
    for (const id of touched) filled(id);
  }
}

/** Makes an id such as `msg_0f3c9d2b7a110f3c9d2b7a11`. */
export const newMessageId = (): string => `msg_${randomBytes(12).toString('hex')}`;
