import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Clock, toSecondStamp } from '../../foundation/clock.js';
import { Unavailable } from '../../foundation/faults.js';
import { bodyDigest } from '../../storage/idempotency-keys.js';
import type { HostEventFeed } from '../events/host-event-feed.js';
import type { MessageDelivery } from './delivery-table.js';
import { testMessage } from './message.js';
import { disabledBefore, MessageQueue } from './message-queue.js';
import type { Attempt, NotificationDefinition, StoredNotification } from './notification.js';
import { NotificationStore } from './notification-store.js';
import { newMessageId, Outbox } from './outbox.js';
import { LocalPrograms } from './programs.js';
import { Webhooks } from './webhooks.js';

export interface NotificationsParts {
  /** The path of the database, which is made with the first notification. */
  readonly path: string;
  readonly feed: Pick<HostEventFeed, 'answer' | 'latestPlace'>;
  readonly clock: Clock;
  /** The address of the server, for the links of messages. */
  readonly baseUrl: string;
  /** The environment and the folder of programs that are run. */
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Whether webhooks may go to addresses that are not public. */
  readonly allowsPrivate: boolean;
  /** The time that a receiver and a program have. */
  readonly limits: { readonly webhookMilliseconds: number; readonly programMilliseconds: number };
  random(): number;
  report(fault: string): void;
}

/** A notification as it is shown. */
export interface SeenNotification {
  readonly notification: StoredNotification;
  readonly pending: number;
}

interface Opened {
  readonly store: NotificationStore;
  readonly outbox: Outbox;
  readonly queues: Map<string, MessageQueue>;
}

/** The most notifications of a server. */
export const mostNotifications = 100;
/** How long the secret before the present one signs too. */
const rotationMilliseconds = 24 * 3600 * 1000;
/** How long the key of a call is known. */
const keyMilliseconds = 24 * 3600 * 1000;

const newNotificationId = (): string => `notif-${randomBytes(6).toString('hex')}`;
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The notifications of a server: events of agents that are sent to webhooks, to the desktop and to commands. */
export class Notifications {
  readonly #parts: NotificationsParts;
  readonly #webhooks: Webhooks;
  readonly #programs: LocalPrograms;
  readonly #stopping = new AbortController();
  #opened: Opened | null = null;

  constructor(parts: NotificationsParts) {
    this.#parts = parts;
    const { clock, allowsPrivate, environment, home, limits } = parts;
    this.#webhooks = new Webhooks({ allowsPrivate, clock, milliseconds: limits.webhookMilliseconds });
    this.#programs = new LocalPrograms({
      environment,
      home,
      clock,
      milliseconds: limits.programMilliseconds,
    });
  }

  /** Goes on where an earlier server ended. A database that cannot be used is reported, and keeps nothing else from working. */
  start(): void {
    if (!existsSync(this.#parts.path)) return;
    try {
      this.#open();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  }

  list(): SeenNotification[] {
    const opened = this.#existing();
    return opened ? opened.store.notifications.list().map((one) => seen(opened, one)) : [];
  }

  get(id: string): SeenNotification | null {
    const opened = this.#existing();
    const notification = opened?.store.notifications.get(id);
    return opened && notification ? seen(opened, notification) : null;
  }

  /**
   * @param key the `Idempotency-Key` of the call; undefined for none.
   * @returns `another_call` when the key came before with another definition; `full` when there are too many.
   */
  async create(
    definition: NotificationDefinition,
    key: string | undefined,
  ): Promise<(SeenNotification & { replayed: boolean; secret: string | null }) | 'another_call' | 'full'> {
    const opened = this.#open();
    const { notifications, keys, journal } = opened.store;
    const id = newNotificationId();
    const secret = definition.target.kind === 'webhook' ? newSecret() : null;
    const now = this.#parts.clock.now().getTime();
    const place = await this.#placeFor(definition);
    const digest = bodyDigest(definition);
    const made = await journal.write(() => {
      const known = key === undefined ? 'new' : keys.check(key, digest);
      if (known === 'another_call') return known;
      if (known !== 'new')
        return { id: known.subject, secret: JSON.parse(known.answer ?? 'null'), replayed: true };
      if (notifications.list().length >= mostNotifications) return 'full';
      notifications.insert(id, definition, secret, now);
      if (place !== null && notifications.place === null) notifications.putPlace(place);
      if (key !== undefined) {
        keys.forgetBefore(now - keyMilliseconds, mostNotifications);
        keys.insert(key, { digest, subject: id, answer: JSON.stringify(secret), at: now });
      }
      return { id, secret, replayed: false };
    });
    if (typeof made === 'string') return made;
    this.#changed(opened);
    const notification = notifications.get(made.id);
    if (notification === null) throw new Unavailable('The notification was deleted meanwhile.');
    return { ...seen(opened, notification), secret: made.secret, replayed: made.replayed };
  }

  /** @returns null where there is no such notification. */
  async update(id: string, definition: NotificationDefinition): Promise<SeenNotification | null> {
    const opened = this.#existing();
    if (!opened?.store.notifications.get(id)) return null;
    const { notifications, deliveries, journal } = opened.store;
    const now = this.#parts.clock.now().getTime();
    const place = await this.#placeFor(definition);
    const updated = await journal.write(() => {
      const before = notifications.get(id);
      if (before === null) return null;
      notifications.define(id, definition, before.enabled ? before.since : now);
      if (!definition.enabled) deliveries.giveUpAll(id, disabledBefore(now));
      if (place !== null && notifications.place === null) notifications.putPlace(place);
      notifications.clearUnusedPlace();
      return notifications.get(id);
    });
    this.#changed(opened);
    return updated && seen(opened, updated);
  }

  /** @returns how it was; null where there is no such notification. */
  async remove(id: string): Promise<SeenNotification | null> {
    const opened = this.#existing();
    if (!opened) return null;
    const { notifications, deliveries, keys, journal } = opened.store;
    const removed = await journal.write(() => {
      const notification = notifications.get(id);
      if (notification === null) return null;
      const last = seen(opened, notification);
      notifications.remove(id);
      deliveries.forgetAll(id);
      keys.forgetSubject(id);
      notifications.clearUnusedPlace();
      return last;
    });
    const queue = opened.queues.get(id);
    opened.queues.delete(id);
    await queue?.stop();
    this.#changed(opened);
    return removed;
  }

  /** Sends a message of the type `test` once. @returns null where there is no such notification. */
  async test(id: string): Promise<Attempt | null> {
    const notification = this.#existing()?.store.notifications.get(id);
    if (!notification) return null;
    const { baseUrl, clock } = this.#parts;
    const nowUtc = toSecondStamp(clock.now());
    const message = testMessage({ notificationId: id, baseUrl, nowUtc });
    return this.#attempt(notification, { messageId: newMessageId(), message }, this.#stopping.signal);
  }

  /** @returns null where there is no such webhook. */
  async rotate(id: string): Promise<{ secret: string; previousUntil: number } | null> {
    const opened = this.#existing();
    if (!opened) return null;
    const { notifications, journal } = opened.store;
    const secret = newSecret();
    const previousUntil = this.#parts.clock.now().getTime() + rotationMilliseconds;
    return journal.write(() => {
      if (notifications.get(id)?.target.kind !== 'webhook') return null;
      notifications.rotate(id, secret, previousUntil);
      return { secret, previousUntil };
    });
  }

  /** Returns the messages of a notification, the latest first. */
  deliveries(id: string, limit: number): MessageDelivery[] {
    return this.#existing()?.store.deliveries.latest(id, limit) ?? [];
  }

  /** Puts a message of an enabled notification into its queue again. @returns null where there is no such message. */
  async repeat(id: string, messageId: string): Promise<MessageDelivery | null> {
    const opened = this.#existing();
    if (!opened) return null;
    const { deliveries, journal } = opened.store;
    const repeated = await journal.write(() => {
      if (deliveries.get(id, messageId) === null) return null;
      deliveries.repeat(messageId, this.#parts.clock.now().getTime());
      return deliveries.get(id, messageId);
    });
    opened.queues.get(id)?.wake();
    return repeated;
  }

  /** Ends what is under way; the next start goes on with it. */
  async close(): Promise<void> {
    this.#stopping.abort('stopped');
    const opened = this.#opened;
    this.#opened = null;
    if (opened) {
      await opened.outbox.stop();
      await Promise.all([...opened.queues.values()].map((queue) => queue.stop()));
    }
    await this.#webhooks.close();
    await opened?.store.close();
  }

  #existing(): Opened | null {
    return this.#opened ?? (existsSync(this.#parts.path) ? this.#open() : null);
  }

  /** @throws {Unavailable} where the database cannot be used; the log says why. */
  #open(): Opened {
    if (this.#opened) return this.#opened;
    if (this.#stopping.signal.aborted) throw new Unavailable('The server is stopping.');
    const { path, clock, report, feed, baseUrl } = this.#parts;
    const store = NotificationStore.open({ path, clock, report });
    const { journal, notifications, deliveries } = store;
    const queues = new Map<string, MessageQueue>();
    const outbox = new Outbox({
      feed,
      journal,
      notifications,
      deliveries,
      clock,
      baseUrl,
      underWay: (id) => queues.get(id)?.underWay ?? null,
      filled: (id) => queues.get(id)?.wake(),
      fault: store.fault,
    });
    const opened = { store, outbox, queues };
    this.#opened = opened;
    this.#changed(opened);
    outbox.start();
    return opened;
  }

  /** Gives each notification its queue, and has all of them look. */
  #changed({ store, outbox, queues }: Opened): void {
    const { journal, notifications, deliveries, fault } = store;
    const { clock, random } = this.#parts;
    for (const { id } of notifications.list()) {
      const queue = queues.get(id);
      if (queue) queue.wake();
      else
        queues.set(
          id,
          new MessageQueue(id, {
            journal,
            notifications,
            deliveries,
            clock,
            random,
            fault,
            attempt: (...given) => this.#attempt(...given),
            disabled: () => outbox.changed(),
          }),
        );
    }
    outbox.changed();
  }

  /** The place with which a notification begins where it is the only one; null where it is not enabled. */
  #placeFor({ enabled }: NotificationDefinition): Promise<string | null> {
    return enabled ? this.#parts.feed.latestPlace() : Promise.resolve(null);
  }

  #attempt(
    { target, secret, previous }: StoredNotification,
    { messageId, message }: Pick<MessageDelivery, 'messageId' | 'message'>,
    stopping: AbortSignal,
  ): Promise<Attempt> {
    if (target.kind === 'desktop') return this.#programs.show(message, stopping);
    if (target.kind === 'command') return this.#programs.call(target.command, messageId, message, stopping);
    const old = previous && previous.until > this.#parts.clock.now().getTime() ? [previous.secret] : [];
    const secrets = [...(secret === null ? [] : [secret]), ...old];
    const call = { url: target.url, messageId, body: JSON.stringify(message), secrets };
    return this.#webhooks.send(call, stopping);
  }
}

const seen = ({ store }: Pick<Opened, 'store'>, notification: StoredNotification): SeenNotification => ({
  notification,
  pending: store.deliveries.pending(notification.id),
});
