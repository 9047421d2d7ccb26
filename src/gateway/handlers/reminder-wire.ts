import type { components } from '../../../generated/gateway/types.js';
import type { Reminder, ReminderDefinition } from '../../dispatch/reminders/reminder.js';
import type { Listing } from '../../dispatch/reminders/reminder-service.js';
import { deliveryStateOf } from '../../dispatch/reminders/selection.js';
import { instantOf } from '../../foundation/iso-instant.js';
import { toMicrosecondStamp } from '../../foundation/timestamps.js';

type View = components['schemas']['Reminder'];
type Wish = components['schemas']['ReminderDefinition'];
type ReminderList = components['schemas']['ReminderList'];

/** What a caller of the contract asked for. */
export function toDefinition(wish: Wish): ReminderDefinition {
  const { send_keys: keys, start_after_seconds: after } = wish;
  return {
    title: wish.title,
    delivery: keys
      ? { kind: 'send_keys', sequence: keys.sequence, ensureEnter: keys.ensure_enter ?? true }
      : { kind: 'prompt', prompt: wish.prompt ?? '' },
    ranking: wish.ranking,
    paused: wish.paused ?? false,
    due: after == null ? { at: instantOf(wish.deliver_at_utc ?? '') } : { afterSeconds: after },
    intervalSeconds: wish.interval_seconds ?? null,
  };
}

/**
 * A reminder as the contract shows it.
 * @param effective of the set it belongs to.
 * @param now milliseconds since 1970.
 */
export function reminderView(reminder: Reminder, effective: Reminder | null, now: number): View {
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

export const reminderList = ({ shown, effective, now }: Listing): ReminderList => ({
  schema_version: 1,
  effective_reminder_id: effective?.id ?? null,
  reminders: shown.map((one) => reminderView(one, effective, now)),
});
