import type { Schemas } from '@houmao/sdk';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { TimeWords } from '../words/local-time.js';

/** The facts that decide which of several reminders fires. */
type Ranked = Pick<Schemas['Reminder'], 'reminder_id' | 'ranking' | 'mode' | 'next_due_at_utc'>;
/** @property due in milliseconds since the epoch. */
type New = Pick<Ranked, 'mode'> & { readonly due: number };

/**
 * Returns the ranking of a new reminder when none is given. Only the first reminder fires, so the new one goes before those
 * that are due later, and before one that repeats, behind which it would wait forever. Otherwise it goes last.
 *
 * @throws {CommandFailure} for a second one that repeats: one of the two would never fire.
 */
export function usualRanking(present: readonly Ranked[], added: New): number {
  const repeating = firstToRepeat(present);
  const last = Math.max(-1, ...present.map(({ ranking }) => ranking)) + 1;
  if (added.mode === 'one_off') {
    const first = inOrder(present).find((one) => one.mode === 'repeat' || dueOf(one) > added.due);
    // Of two with the same ranking the older one goes first.
    return first ? first.ranking - 1 : last;
  }
  if (repeating === null) return last;
  throw new CommandFailure(
    `${repeating.reminder_id} already repeats, and only the reminder with the smallest ranking fires: one of the two would never fire.`,
    exitCodes.usage,
    {
      hint: `Choose which one fires: --ranking ${repeating.ranking - 1} for the new one, --ranking ${repeating.ranking + 1} for ${repeating.reminder_id}.`,
    },
  );
}

/** Describes the effect of the ranking on a reminder that was added and on those that were there, in one sentence each. */
export function standingWords(present: readonly Ranked[], added: Ranked, time: TimeWords): string[] {
  const repeating = firstToRepeat(present);
  // Of two with the same ranking the older one goes first.
  if (repeating !== null && repeating.ranking <= added.ranking)
    return [
      `It waits behind ${repeating.reminder_id}, which repeats: it fires only when that one is removed or gets a greater ranking.`,
    ];
  const later = inOrder(present).filter((one) => one.ranking <= added.ranking && dueOf(one) > dueOf(added));
  const latest = [...later].sort((a, b) => dueOf(a) - dueOf(b)).at(-1);
  const waits =
    latest === undefined
      ? []
      : [
          `It waits behind ${latest.reminder_id}, which is due ${time(latest.next_due_at_utc)}: only the reminder with the smallest ranking fires. --ranking ${later[0]!.ranking - 1} puts it in front of those that are due later.`,
        ];
  const behind = present.filter(({ ranking }) => ranking > added.ranking).length;
  if (added.mode === 'repeat' && behind > 0)
    return [
      ...waits,
      `It repeats, so ${behind === 1 ? 'the reminder' : `the ${behind} reminders`} behind it will not fire until it is removed or gets a greater ranking.`,
    ];
  return repeating === null
    ? waits
    : [
        ...waits,
        `It goes before ${repeating.reminder_id}, which repeats and waits until this one has fired.`,
      ];
}

const dueOf = ({ next_due_at_utc }: Pick<Ranked, 'next_due_at_utc'>): number => Date.parse(next_due_at_utc);

const inOrder = (present: readonly Ranked[]): Ranked[] => [...present].sort((a, b) => a.ranking - b.ranking);

/** Returns the repeating reminder that fires first. */
const firstToRepeat = (present: readonly Ranked[]): Ranked | null =>
  inOrder(present).find(({ mode }) => mode === 'repeat') ?? null;
