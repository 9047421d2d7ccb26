import type { NotificationsHandlers } from '../../../generated/managed-agent/server/notifications-handlers.js';
import type { components } from '../../../generated/managed-agent/types.js';
import { errorCodeHeader, keyOfAnotherBody } from '../../contract/refusals.js';
import { catalogue, entryOf } from '../../events/catalogue.js';
import { toSecondStamp } from '../../foundation/clock.js';
import type { MessageDelivery } from '../notifications/delivery-table.js';
import type { Attempt, NotificationDefinition } from '../notifications/notification.js';
import {
  mostNotifications,
  type Notifications,
  type SeenNotification,
} from '../notifications/notifications.js';
import { refusalOf } from '../notifications/public-addresses.js';
import type { ManagedAgentServer } from '../server.js';

type Wire = components['schemas'];
type Server = Pick<ManagedAgentServer, 'notifications' | 'parts'>;

export const notificationHandlers = (
  server: Server,
): Omit<NotificationsHandlers, keyof ReturnType<typeof deliveryHandlers>> => ({
  createNotification: async ({ body, headers, byOwner }, reply) => {
    const definition = toDefinition(body);
    if (definition.target.kind === 'command' && !byOwner) return reply(403, commandRefused, commandCode);
    const broken = await brokenRule(definition, server);
    if (broken) return reply(422, { detail: [broken] });
    const made = await server.notifications.create(definition, headers['Idempotency-Key']);
    if (made === 'another_call') return reply(422, { detail: keyOfAnotherBody });
    if (made === 'full')
      return reply(422, {
        detail: `There are ${mostNotifications} notifications already; delete one first.`,
      });
    const created = { notification: wireNotification(made), secret: made.secret };
    return reply(201, created, made.replayed ? { 'Idempotency-Replayed': 'true' } : {});
  },

  listNotifications: (_context, reply) =>
    reply(200, { schema_version: 1, notifications: server.notifications.list().map(wireNotification) }),

  getNotification: ({ path: { notification_id: id } }, reply) => {
    const found = server.notifications.get(id);
    return found ? reply(200, wireNotification(found)) : reply(404, { detail: unknown(id) });
  },

  updateNotification: async ({ path: { notification_id: id }, body, byOwner }, reply) => {
    const found = server.notifications.get(id);
    if (!found) return reply(404, { detail: unknown(id) });
    const definition = toDefinition(body);
    const { kind } = found.notification.target;
    if (definition.target.kind !== kind) return reply(422, { detail: [otherKind(kind, body.target.kind)] });
    if (kind === 'command' && !byOwner) return reply(403, commandRefused, commandCode);
    const broken = await brokenRule(definition, server);
    if (broken) return reply(422, { detail: [broken] });
    const updated = await server.notifications.update(id, definition);
    return updated ? reply(200, wireNotification(updated)) : reply(404, { detail: unknown(id) });
  },

  deleteNotification: async ({ path: { notification_id: id } }, reply) => {
    const removed = await server.notifications.remove(id);
    return removed ? reply(200, wireNotification(removed)) : reply(404, { detail: unknown(id) });
  },

  testNotification: async ({ path: { notification_id: id } }, reply) => {
    const attempt = await server.notifications.test(id);
    return attempt ? reply(200, wireAttempt(attempt)) : reply(404, { detail: unknown(id) });
  },

  rotateNotificationSecret: async ({ path: { notification_id: id } }, reply) => {
    if (!server.notifications.get(id)) return reply(404, { detail: unknown(id) });
    const rotated = await server.notifications.rotate(id);
    if (rotated === null)
      return reply(409, { detail: `Notification \`${id}\` is no webhook, and has no secret.` });
    const { secret, previousUntil } = rotated;
    return reply(200, { secret, previous_valid_until_utc: stamp(previousUntil) });
  },
});

/** Handles what was sent, and what is to be sent again. */
export const deliveryHandlers = ({ notifications }: { readonly notifications: Notifications }) =>
  ({
    listNotificationDeliveries: ({ path: { notification_id: id }, query: { limit = 20 } }, reply) => {
      if (!notifications.get(id)) return reply(404, { detail: unknown(id) });
      const deliveries = notifications.deliveries(id, limit).map(wireDelivery);
      return reply(200, { schema_version: 1, deliveries });
    },

    repeatNotificationDelivery: async ({ path: { notification_id: id, message_id } }, reply) => {
      const found = notifications.get(id);
      if (!found) return reply(404, { detail: unknown(id) }, { [errorCodeHeader]: 'unknown_notification' });
      if (!found.notification.enabled)
        return reply(409, { detail: `Notification \`${id}\` is disabled; enable it first.` });
      const repeated = await notifications.repeat(id, message_id);
      if (repeated) return reply(200, wireDelivery(repeated));
      const detail = `Notification \`${id}\` has no message \`${message_id.slice(0, 100)}\`.`;
      return reply(404, { detail }, { [errorCodeHeader]: 'unknown_message' });
    },
  }) satisfies Pick<NotificationsHandlers, 'listNotificationDeliveries' | 'repeatNotificationDelivery'>;

const unknown = (id: string): string => `No notification \`${id.slice(0, 100)}\` on this server.`;

const commandRefused = {
  detail: 'Only the user who runs this server may set commands, from this machine and not from a web page.',
};
const commandCode = { [errorCodeHeader]: 'command_refused' } as const;

const toDefinition = (body: Wire['NotificationDefinition']): NotificationDefinition => ({
  target: body.target,
  description: body.description ?? null,
  events: body.events ?? null,
  agents: body.agents ?? null,
  enabled: body.enabled,
});

const otherKind = (kind: string, given: string): Wire['ValidationItem'] => ({
  type: 'target_kind',
  loc: ['body', 'target', 'kind'],
  msg: `It stays ${kind}; make another notification for another kind of target`,
  input: given,
});

/** Returns the rule that a definition breaks and that its shape does not show; null for none. */
async function brokenRule(
  { target, events }: NotificationDefinition,
  { parts }: Server,
): Promise<Wire['ValidationItem'] | null> {
  const index = events?.findIndex((kind) => entryOf(kind) === null) ?? -1;
  if (index >= 0)
    return {
      type: 'unknown_kind',
      loc: ['body', 'events', index],
      msg: `There is no such kind of event; there are ${Object.keys(catalogue).join(', ')}`,
      input: events?.[index],
    };
  if (target.kind === 'command' && target.command[0]?.trim() === '')
    return {
      type: 'blank',
      loc: ['body', 'target', 'command', 0],
      msg: 'It names no program',
      input: target.command[0],
    };
  if (target.kind !== 'webhook') return null;
  const atUrl = { loc: ['body', 'target', 'url'], input: target.url };
  if (!URL.canParse(target.url)) return { ...atUrl, type: 'url', msg: 'It is no address of a receiver' };
  const { username, password } = new URL(target.url);
  if (username !== '' || password !== '')
    return { ...atUrl, type: 'url', msg: 'It may not contain a user name or a password' };
  const refusal = parts.allowsPrivateWebhooks ? null : await refusalOf(target.url);
  return refusal === null ? null : { ...atUrl, type: 'private_address', msg: refusal };
}

const stamp = (at: number): string => toSecondStamp(new Date(at));
const stampOrNull = (at: number | null): string | null => (at === null ? null : stamp(at));

const wireNotification = ({ notification, pending }: SeenNotification): Wire['Notification'] => ({
  schema_version: 1,
  notification_id: notification.id,
  target: notification.target,
  description: notification.description,
  events: notification.events === null ? null : [...notification.events],
  agents: notification.agents === null ? null : [...notification.agents],
  enabled: notification.enabled,
  disabled_reason: notification.disabledReason,
  created_at_utc: stamp(notification.createdAt),
  pending,
  missed: notification.missed,
  last_delivered_at_utc: stampOrNull(notification.lastDeliveredAt),
  failing_since_utc: stampOrNull(notification.failingSince),
  last_failure: notification.lastFailure && wireAttempt(notification.lastFailure),
});

const wireAttempt = ({ at, code, status, detail }: Attempt): Wire['NotificationAttempt'] => ({
  at_utc: stamp(at),
  delivered: code === 'delivered',
  code,
  status,
  detail,
});

const wireDelivery = (delivery: MessageDelivery): Wire['NotificationDelivery'] => ({
  message_id: delivery.messageId,
  state: delivery.state,
  created_at_utc: stamp(delivery.createdAt),
  attempts: delivery.attempts,
  last_attempt: delivery.lastAttempt && wireAttempt(delivery.lastAttempt),
  next_attempt_at_utc: stampOrNull(delivery.nextAt),
  message: delivery.message,
});
