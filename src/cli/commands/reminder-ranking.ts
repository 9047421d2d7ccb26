import {
  dueOf,
  firstToRepeat,
  inOrder,
  type RankedReminder,
  secondRepeats,
  usualRanking,
} from '../../protocols/reminder-ranking.js';
import { CommandFailure, exitCodes } from '../words/command-failure.js';
import type { TimeWords } from '../words/local-time.js';

/** Returns the {@link usualRanking} of a new reminder. @throws {CommandFailure} for a second one that repeats. */
export function rankingOf(
  present: readonly RankedReminder[],
  added: Parameters<typeof usualRanking>[1],
): number {
  const ranking = usualRanking(present, added);
  if (typeof ranking === 'number') return ranking;
  const { repeating } = ranking;
  throw new CommandFailure(secondRepeats(repeating), exitCodes.usage, {
    hint: `Choose which one fires: --ranking ${repeating.ranking - 1} for the new one, --ranking ${repeating.ranking + 1} for ${repeating.reminder_id}.`,
  });
}

/** Describes the effect of the ranking on a reminder that was added and on those that were there, in one sentence each. */
export function standingWords(
  present: readonly RankedReminder[],
  added: RankedReminder,
  time: TimeWords,
): string[] {
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
