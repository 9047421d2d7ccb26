import type { components } from '../../../generated/gateway/types.js';
import { toMicrosecondStamp } from '../../foundation/timestamps.js';
import type { Reminder } from './reminder.js';
import type { ReminderSet } from './reminder-set.js';
import { byPrecedence, deliveryStateOf, effectiveOf } from './selection.js';

type View = components['schemas']['Reminder'];
export type ReminderList = components['schemas']['ReminderList'];

/**
 * A reminder as the contract shows it (gateway §4.1).
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

/** @param shown the reminders to list, in this order. */
export function reminderList(shown: ReminderSet, set: ReminderSet, now: number): ReminderList {
  const effective = effectiveOf(set);
  return {
    schema_version: 1,
    effective_reminder_id: effective?.id ?? null,
    reminders: shown.map((one) => reminderView(one, effective, now)),
  };
}

export const inOrder = (set: ReminderSet): ReminderSet => [...set].sort(byPrecedence);
