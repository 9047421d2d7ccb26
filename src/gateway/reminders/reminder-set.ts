import { nextDue } from './cadence.js';
import type { Reminder } from './reminder.js';

/** All live reminders. Whatever changes gives a new set: a transaction that fails goes back to the old one. */
export type ReminderSet = readonly Reminder[];

export const findReminder = (set: ReminderSet, id: string): Reminder | null =>
  set.find((one) => one.id === id) ?? null;

export const withReminder = (set: ReminderSet, changed: Reminder): ReminderSet =>
  set.map((one) => (one.id === changed.id ? changed : one));

export const withoutReminder = (set: ReminderSet, id: string): ReminderSet =>
  set.filter((one) => one.id !== id);

/** One that is being delivered leaves when that ends (gateway §4.5). */
export const deleted = (set: ReminderSet, reminder: Reminder): ReminderSet =>
  reminder.executing
    ? withReminder(set, { ...reminder, deleteRequested: true })
    : withoutReminder(set, reminder.id);

export const started = (reminder: Reminder, now: number): Reminder => ({
  ...reminder,
  executing: true,
  lastStartedAt: now,
});

/** After a delivery, good or bad: gone, or due again. @returns null when it leaves the set. */
export const afterDelivery = (reminder: Reminder, finished: number): Reminder | null =>
  reminder.intervalSeconds === null || reminder.deleteRequested
    ? null
    : {
        ...reminder,
        executing: false,
        dueAt: nextDue(reminder.anchor, reminder.intervalSeconds, finished),
      };
