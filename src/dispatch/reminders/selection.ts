import type { Reminder } from './reminder.js';

/** In the order of precedence: ranking, then age, then id. */
export const byPrecedence = (a: Reminder, b: Reminder): number =>
  a.ranking - b.ranking || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/**
 * The one reminder that may fire. Reminders that are paused, not due or being delivered take part: the one with the
 * smallest ranking blocks all others (docs/decisions.md#effective-reminder).
 */
export const effectiveOf = (reminders: readonly Reminder[]): Reminder | null =>
  reminders.reduce<Reminder | null>(
    (least, one) => (least === null || byPrecedence(one, least) < 0 ? one : least),
    null,
  );

export type DeliveryState = 'scheduled' | 'overdue' | 'executing';

export const deliveryStateOf = (reminder: Reminder, now: number): DeliveryState =>
  reminder.executing ? 'executing' : reminder.dueAt <= now ? 'overdue' : 'scheduled';

/** What the loop does next: deliver this one, look again at that moment, or wait until something changes. */
export type NextStep = { deliver: Reminder } | { at: number } | { at: null };

export function nextStep(reminders: readonly Reminder[], now: number): NextStep {
  const effective = effectiveOf(reminders);
  if (!effective || effective.executing) return { at: null };
  if (effective.dueAt > now) return { at: effective.dueAt };
  return effective.paused ? { at: null } : { deliver: effective };
}
