import type { Reminder } from './reminder.js';

/** All live reminders. Each change makes a new set, so that a failed transaction can go back to the old one. */
export type ReminderSet = readonly Reminder[];

/** The limits exist because all reminders are held in memory and sent in one answer. */
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

/** Returns the set after a deletion. A reminder that is being delivered leaves it when the delivery ends. */
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

/**
 * Moves a reminder on after a delivery, successful or not: it is due again, or gone.
 * @returns null when it leaves the set.
 */
export const afterDelivery = (reminder: Reminder, finished: number): Reminder | null =>
  reminder.intervalSeconds === null || reminder.deleteRequested
    ? null
    : {
        ...reminder,
        executing: false,
        turnId: null,
        dueAt: nextDue(reminder.anchor, reminder.intervalSeconds, finished),
      };

/** Sorts the reminders: the one that may fire first, then the others in their order. */
export const inOrder = (set: ReminderSet): ReminderSet => [...set].sort(byPrecedence);

/** Compares by precedence: ranking, then age, then id. */
export const byPrecedence = (a: Reminder, b: Reminder): number =>
  a.ranking - b.ranking || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/**
 * Returns the one reminder that may fire. Reminders that are paused, not due or being delivered take part: the one with
 * the smallest ranking blocks all others (docs/decisions.md#effective-reminder).
 */
export const effectiveOf = (reminders: readonly Reminder[]): Reminder | null =>
  reminders.reduce<Reminder | null>(
    (least, one) => (least === null || byPrecedence(one, least) < 0 ? one : least),
    null,
  );

type DeliveryState = 'scheduled' | 'overdue' | 'executing';

export const deliveryStateOf = (reminder: Reminder, now: number): DeliveryState =>
  reminder.executing ? 'executing' : reminder.dueAt <= now ? 'overdue' : 'scheduled';

/** The next step of the loop: deliver this reminder, check again at that moment, or wait until something changes. */
type NextStep = { deliver: Reminder } | { at: number } | { at: null };

export function nextStep(reminders: readonly Reminder[], now: number): NextStep {
  const effective = effectiveOf(reminders);
  if (!effective || effective.executing) return { at: null };
  if (effective.dueAt > now) return { at: effective.dueAt };
  return effective.paused ? { at: null } : { deliver: effective };
}

/**
 * Returns when a repeating reminder is due again: the first point of its grid after the end of the delivery. However long
 * the delivery took, or the machine slept, there is one next time and no burst (docs/decisions.md#cadence).
 * @param anchor the first moment of the grid; it and `finished` are milliseconds since 1970.
 * @returns whole milliseconds, later than `finished` and never earlier than one interval after the anchor.
 */
export function nextDue(anchor: number, intervalSeconds: number, finished: number): number {
  // A grid finer than a millisecond has a point in every millisecond.
  const interval = Math.max(1, intervalSeconds * 1000);
  const steps = Math.max(1, Math.floor((finished - anchor) / interval) + 1);
  return Math.max(Math.ceil(anchor + interval * steps), Math.floor(finished) + 1);
}
