import type { NewEvent } from '../../events/catalogue.js';
import { toMicrosecondStamp } from '../../foundation/clock.js';
import type { Reminder } from './reminder.js';
import { deliveryStateOf, effectiveOf, type ReminderSet } from './reminder-set.js';

// The events of reminders; their fields are a compatible shape (docs/decisions.md#event-files).

const previewLength = 120;
const preview = (text: string): string => [...text].slice(0, previewLength).join('');
const stamp = (milliseconds: number): string => toMicrosecondStamp(new Date(milliseconds));

const kindOf = ({ id, mode, delivery, ranking }: Reminder) => ({
  reminder_id: id,
  mode,
  delivery_kind: delivery.kind,
  ranking,
});
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

export const registered = (reminder: Reminder): NewEvent => ({
  kind: 'reminder_registered',
  subjectId: reminder.id,
  data: { ...definitionOf(reminder), created_at_utc: stamp(reminder.createdAt) },
});

export const updated = (reminder: Reminder): NewEvent => ({
  kind: 'reminder_updated',
  subjectId: reminder.id,
  data: definitionOf(reminder),
});

export const removed = (reminder: Reminder, detail: string): NewEvent => ({
  kind: 'reminder_deleted',
  subjectId: reminder.id,
  data: { reminder_id: reminder.id, executing: reminder.executing, delete_requested: true, detail },
});

export const begun = (reminder: Reminder): NewEvent => ({
  kind: 'reminder_started',
  subjectId: reminder.id,
  data: {
    ...kindOf(reminder),
    ...keysOf(reminder),
    paused: reminder.paused,
    started_at_utc: stamp(reminder.lastStartedAt ?? 0),
    delete_requested: reminder.deleteRequested,
  },
});

export const deferred = (reminder: Reminder, detail: string): NewEvent => ({
  kind: 'reminder_deferred',
  subjectId: reminder.id,
  data: { ...kindOf(reminder), detail, next_due_at_utc: stamp(reminder.dueAt) },
});

/**
 * Returns an event that is only for `gateway.log`, which shows few of the deferrals.
 * @param suppressed how many were left out.
 */
export const deferralLogged = (reminder: Reminder, detail: string, suppressed: number): NewEvent => ({
  kind: 'reminder_deferral_told',
  subjectId: reminder.id,
  data: { reminder_id: reminder.id, detail, suppressed },
});

/** @param after the reminder if it stays; null if it left the set. @param error null for a successful delivery. */
export function finished(
  reminder: Reminder,
  after: Reminder | null,
  finishedAtUtc: string,
  error: string | null,
): NewEvent {
  const data = {
    reminder_id: reminder.id,
    finished_at_utc: finishedAtUtc,
    next_due_at_utc: after === null ? null : stamp(after.dueAt),
  };
  return error === null
    ? { kind: 'reminder_completed', subjectId: reminder.id, data }
    : { kind: 'reminder_failed', subjectId: reminder.id, data: { ...data, error_detail: error } };
}

export const lost = (reminder: Reminder, set: ReminderSet, now: number): NewEvent => ({
  kind: 'reminder_lost_on_restart',
  subjectId: reminder.id,
  data: {
    ...kindOf(reminder),
    paused: reminder.paused,
    selection_state: effectiveOf(set)?.id === reminder.id ? 'effective' : 'blocked',
    delivery_state: deliveryStateOf(reminder, now),
    next_due_at_utc: stamp(reminder.dueAt),
  },
});
