import type { Schemas } from '@houmao/sdk';

/** The facts that decide which of several reminders fires. */
export type RankedReminder = Pick<
  Schemas['Reminder'],
  'reminder_id' | 'ranking' | 'mode' | 'next_due_at_utc'
>;

/**
 * Returns the ranking of a new reminder when none is given. Only the first reminder fires, so the new one goes before those
 * that are due later, and before one that repeats, behind which it would wait forever. Otherwise it goes last.
 *
 * @param added `due` is in milliseconds since the epoch.
 * @returns the reminder that repeats already instead, for a second one: one of the two would never fire.
 */
export function usualRanking(
  present: readonly RankedReminder[],
  added: Pick<RankedReminder, 'mode'> & { readonly due: number },
): number | { readonly repeating: RankedReminder } {
  const repeating = firstToRepeat(present);
  const last = Math.max(-1, ...present.map(({ ranking }) => ranking)) + 1;
  if (added.mode === 'one_off') {
    const first = inOrder(present).find((one) => one.mode === 'repeat' || dueOf(one) > added.due);
    // Of two with the same ranking the older one goes first.
    return first ? first.ranking - 1 : last;
  }
  return repeating === null ? last : { repeating };
}

/** Says that a second reminder that repeats would be of no use. */
export const secondRepeats = ({ reminder_id }: Pick<RankedReminder, 'reminder_id'>): string =>
  `${reminder_id} already repeats, and only the reminder with the smallest ranking fires: one of the two would never fire.`;

export const dueOf = ({ next_due_at_utc }: Pick<RankedReminder, 'next_due_at_utc'>): number =>
  Date.parse(next_due_at_utc);

export const inOrder = (present: readonly RankedReminder[]): RankedReminder[] =>
  [...present].sort((a, b) => a.ranking - b.ranking);

/** Returns the repeating reminder that fires first. */
export const firstToRepeat = (present: readonly RankedReminder[]): RankedReminder | null =>
  inOrder(present).find(({ mode }) => mode === 'repeat') ?? null;
