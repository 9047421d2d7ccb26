import type { RemindersHandlers } from '../../../generated/gateway/server/reminders-handlers.js';
import type { components } from '../../../generated/gateway/types.js';
import { keyOfAnotherBody } from '../../contract/refusals.js';
import type { Reminder, ReminderDefinition } from '../../dispatch/reminders/reminder.js';
import type { ReminderListing, Seen } from '../../dispatch/reminders/reminder-service.js';
import { deliveryStateOf } from '../../dispatch/reminders/reminder-set.js';
import { instantOf, toMicrosecondStamp } from '../../foundation/clock.js';
import { parseKeySequence, UnsendableKeys } from '../../terminal/terminal-input.js';
import type { Gateway } from '../gateway.js';

/**
 * Handles reminders. None of these operations needs admission: they work while the agent is away
 * (docs/decisions.md#reminders-in-memory).
 */
export const reminderHandlers = (
  gateway: Pick<Gateway, 'manifest' | 'reminderKeys' | 'reminders' | 'target'>,
): RemindersHandlers => ({
  createReminders: async ({ body, headers, query }, reply) => {
    const key = headers['Idempotency-Key'] ?? null;
    for (const { send_keys } of body.reminders) {
      const refusal = send_keys && keysRefusal(gateway, send_keys.sequence);
      if (refusal) return reply(422, { detail: refusal });
    }
    const kept = query.keep ?? false;
    const answered = await gateway.reminderKeys.once<Created>(key, { body, kept }, async (note) => {
      const also = (added: ReminderListing): void => note(reminderList(added));
      const created = await gateway.reminders.create(body.reminders.map(toDefinition), { kept, also });
      return 'refusal' in created ? created : reminderList(created);
    });
    if (answered === null) return reply(422, { detail: keyOfAnotherBody });
    const { answer, replayed } = answered;
    if ('refusal' in answer) return reply(422, { detail: answer.refusal });
    return reply(200, answer, replayed ? { 'Idempotency-Replayed': 'true' } : {});
  },

  listReminders: ({ query }, reply) => reply(200, reminderList(gateway.reminders.list(query.kept ?? null))),

  getReminder: ({ path }, reply) => {
    const found = gateway.reminders.get(path.reminder_id);
    return found ? reply(200, viewOf(found)) : reply(404, { detail: unknown(path.reminder_id) });
  },

  updateReminder: async ({ path: { reminder_id }, query, body }, reply) => {
    const found = gateway.reminders.get(reminder_id);
    const refusal =
      found && !found.reminder.executing && body.send_keys
        ? keysRefusal(gateway, body.send_keys.sequence)
        : null;
    if (refusal) return reply(422, { detail: refusal });
    const updated = await gateway.reminders.update(reminder_id, toDefinition(body), query.keep);
    if (updated === 'unknown') return reply(404, { detail: unknown(reminder_id) });
    if (updated === 'executing')
      return reply(409, { detail: `Reminder \`${reminder_id}\` is being delivered; change it afterwards.` });
    if ('refusal' in updated) return reply(422, { detail: updated.refusal });
    return reply(200, viewOf(updated));
  },

  deleteReminder: async ({ path: { reminder_id } }, reply) => {
    const detail = await gateway.reminders.remove(reminder_id);
    if (detail === null) return reply(404, { detail: unknown(reminder_id) });
    return reply(200, {
      schema_version: 1,
      status: 'ok',
      action: 'delete_reminder',
      reminder_id,
      deleted: true,
      detail,
    });
  },
});

type Created = ReturnType<typeof reminderList> | { refusal: string };

const viewOf = ({ reminder, effective, now }: Seen) => reminderView(reminder, effective, now);

const unknown = (id: string): string => `No reminder \`${id.slice(0, 100)}\` on this gateway.`;

/** Returns why these keys can never be typed; null when they can. */
function keysRefusal(
  { target, manifest }: Pick<Gateway, 'manifest' | 'target'>,
  sequence: string,
): string | null {
  if (target.capabilities.keys !== 'available')
    return `send_keys reminders are unsupported for backend ${manifest.backend}: it has no terminal of its own.`;
  try {
    parseKeySequence(sequence);
    return null;
  } catch (error) {
    if (error instanceof UnsendableKeys) return error.message;
    throw error;
  }
}

type View = components['schemas']['Reminder'];
type DefinitionBody = components['schemas']['ReminderDefinition'];
type ReminderList = components['schemas']['ReminderList'];

/** Converts a reminder definition of the contract. */
export function toDefinition(body: DefinitionBody): ReminderDefinition {
  const { send_keys: keys, start_after_seconds: after } = body;
  return {
    title: body.title,
    delivery: keys
      ? { kind: 'send_keys', sequence: keys.sequence, ensureEnter: keys.ensure_enter ?? true }
      : { kind: 'prompt', prompt: body.prompt ?? '' },
    ranking: body.ranking,
    paused: body.paused ?? false,
    due: after == null ? { at: instantOf(body.deliver_at_utc ?? '') } : { afterSeconds: after },
    intervalSeconds: body.interval_seconds ?? null,
  };
}

/**
 * Converts a reminder to the form of the contract.
 * @param effective the effective reminder of the set it belongs to.
 * @param now milliseconds since 1970.
 */
function reminderView(reminder: Reminder, effective: Reminder | null, now: number): View {
  const { delivery } = reminder;
  const blockedBy = effective === null || effective.id === reminder.id ? null : effective.id;
  return {
    schema_version: 1,
    reminder_id: reminder.id,
    mode: reminder.mode,
    delivery_kind: delivery.kind,
    title: reminder.title,
    prompt: delivery.kind === 'prompt' ? delivery.prompt : null,
    send_keys:
      delivery.kind === 'send_keys'
        ? { sequence: delivery.sequence, ensure_enter: delivery.ensureEnter }
        : null,
    ranking: reminder.ranking,
    paused: reminder.paused,
    selection_state: blockedBy === null ? 'effective' : 'blocked',
    delivery_state: deliveryStateOf(reminder, now),
    created_at_utc: toMicrosecondStamp(new Date(reminder.createdAt)),
    next_due_at_utc: toMicrosecondStamp(new Date(reminder.dueAt)),
    interval_seconds: reminder.intervalSeconds,
    last_started_at_utc:
      reminder.lastStartedAt === null ? null : toMicrosecondStamp(new Date(reminder.lastStartedAt)),
    blocked_by_reminder_id: blockedBy,
  };
}

export const reminderList = ({ shown, effective, now }: ReminderListing): ReminderList => ({
  schema_version: 1,
  effective_reminder_id: effective?.id ?? null,
  reminders: shown.map((one) => reminderView(one, effective, now)),
});
