import { nextDue } from './cadence.js';
import type { Reminder } from './reminder.js';
import { byPrecedence } from './selection.js';

/** All live reminders. Each change makes a new set, so that a failed transaction can go back to the old one. */
export type ReminderSet = readonly Reminder[];

/** All of them are held in memory and sent in one answer. */
const maxReminders = 250;
const maxCharacters = 4 * 1024 * 1024;

/** @returns which limit a set would exceed, in words; null when none. */
export function excessOf(set: ReminderSet): string | null {
  if (set.length > maxReminders) return `There can be ${maxReminders} reminders at most; delete some first.`;
  const characters = set.reduce((sum, one) => sum + charactersOf(one), 0);
  return characters > maxCharacters
    ? `All reminders together can have ${maxCharacters} characters at most; delete some first.`
    : null;
}

const charactersOf = ({ title, delivery }: Reminder): number =>
  title.length + (delivery.kind === 'prompt' ? delivery.prompt : delivery.sequence).length;

export const findReminder = (set: ReminderSet, id: string): Reminder | null =>
  set.find((one) => one.id === id) ?? null;

export const withReminder = (set: ReminderSet, changed: Reminder): ReminderSet =>
  set.map((one) => (one.id === changed.id ? changed : one));

export const withoutReminder = (set: ReminderSet, id: string): ReminderSet =>
  set.filter((one) => one.id !== id);

/** One that is being delivered leaves the set when the delivery ends. */
export const deleted = (set: ReminderSet, reminder: Reminder): ReminderSet =>
  reminder.executing
    ? withReminder(set, { ...reminder, deleteRequested: true })
    : withoutReminder(set, reminder.id);

/** @param turnId the turn that delivers it; null for keys. */
export const started = (reminder: Reminder, now: number, turnId: string | null = null): Reminder => ({
  ...reminder,
  executing: true,
  turnId,
  lastStartedAt: now,
});

/** The reminder after a delivery, successful or not: due again, or gone. @returns null when it leaves the set. */
export const afterDelivery = (reminder: Reminder, finished: number): Reminder | null =>
  reminder.intervalSeconds === null || reminder.deleteRequested
    ? null
    : {
        ...reminder,
        executing: false,
        turnId: null,
        dueAt: nextDue(reminder.anchor, reminder.intervalSeconds, finished),
      };

/** The one that may fire first, then the others in their order. */
export const inOrder = (set: ReminderSet): ReminderSet => [...set].sort(byPrecedence);
