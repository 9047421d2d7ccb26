import type { NewEvent } from '../../events/event-table.js';
import { toMicrosecondStamp } from '../../foundation/timestamps.js';
import type { Reminder } from './reminder.js';
import type { ReminderSet } from './reminder-set.js';
import { deliveryStateOf, effectiveOf } from './selection.js';

// The events of reminders, field by field as in the catalogue of gateway §3.2.

const previewLength = 120;
const preview = (text: string): string => [...text].slice(0, previewLength).join('');
const stamp = (milliseconds: number): string => toMicrosecondStamp(new Date(milliseconds));

const event = (kind: string, reminder: Reminder, data: Record<string, unknown>): NewEvent => ({
  kind,
  subjectId: reminder.id,
  data: { reminder_id: reminder.id, ...data },
});

const kindOf = ({ mode, delivery, ranking }: Reminder) => ({ mode, delivery_kind: delivery.kind, ranking });
const keysOf = ({ delivery }: Reminder) => ({
  sequence_preview: delivery.kind === 'send_keys' ? preview(delivery.sequence) : null,
  ensure_enter: delivery.kind === 'send_keys' ? delivery.ensureEnter : null,
});
const definitionOf = (reminder: Reminder) => ({
  ...kindOf(reminder),
  ...keysOf(reminder),
  title: reminder.title,
  paused: reminder.paused,
  prompt_preview: reminder.delivery.kind === 'prompt' ? preview(reminder.delivery.prompt) : null,
  next_due_at_utc: stamp(reminder.dueAt),
  interval_seconds: reminder.intervalSeconds,
});

export const registered = (reminder: Reminder): NewEvent =>
  event('reminder_registered', reminder, {
    ...definitionOf(reminder),
    created_at_utc: stamp(reminder.createdAt),
  });

export const updated = (reminder: Reminder): NewEvent =>
  event('reminder_updated', reminder, definitionOf(reminder));

export const removed = (reminder: Reminder, detail: string): NewEvent =>
  event('reminder_deleted', reminder, { executing: reminder.executing, delete_requested: true, detail });

export const begun = (reminder: Reminder): NewEvent =>
  event('reminder_started', reminder, {
    ...kindOf(reminder),
    ...keysOf(reminder),
    paused: reminder.paused,
    started_at_utc: stamp(reminder.lastStartedAt ?? 0),
    delete_requested: reminder.deleteRequested,
  });

export const deferred = (reminder: Reminder, detail: string): NewEvent =>
  event('reminder_deferred', reminder, {
    ...kindOf(reminder),
    detail,
    next_due_at_utc: stamp(reminder.dueAt),
  });

/** Only for `gateway.log`: deferrals are told there once in a while. @param suppressed how many were not. */
export const deferralTold = (reminder: Reminder, detail: string, suppressed: number): NewEvent =>
  event('reminder_deferral_told', reminder, { detail, suppressed });

/** @param after the reminder when it stays; null when it left. @param error null for a good delivery. */
export const finished = (
  reminder: Reminder,
  after: Reminder | null,
  finishedAtUtc: string,
  error: string | null,
): NewEvent =>
  event(error === null ? 'reminder_completed' : 'reminder_failed', reminder, {
    ...(error === null ? {} : { error_detail: error }),
    finished_at_utc: finishedAtUtc,
    next_due_at_utc: after === null ? null : stamp(after.dueAt),
  });

export const lost = (reminder: Reminder, set: ReminderSet, now: number): NewEvent =>
  event('reminder_lost_on_restart', reminder, {
    ...kindOf(reminder),
    paused: reminder.paused,
    selection_state: effectiveOf(set)?.id === reminder.id ? 'effective' : 'blocked',
    delivery_state: deliveryStateOf(reminder, now),
    next_due_at_utc: stamp(reminder.dueAt),
  });
