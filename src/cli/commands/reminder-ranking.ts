import type { Schemas } from '@houmao/sdk';
import { CommandFailure, exitCodes } from '../words/command-failure.js';

type Present = Pick<Schemas['Reminder'], 'reminder_id' | 'ranking' | 'mode'>;
type New = Pick<Schemas['ReminderDefinition'], 'ranking' | 'mode'>;

/**
 * Where a new reminder stands when nobody says so: behind the others, but not behind one that repeats, which all behind it wait for
 * without end.
 *
 * @throws {CommandFailure} for a second one that repeats: one of the two would never fire.
 */
export function usualRanking(present: readonly Present[], mode: New['mode']): number {
  const first = firstToRepeat(present);
  if (first === null) return Math.max(-1, ...present.map(({ ranking }) => ranking)) + 1;
  if (mode === 'one_off') return first.ranking - 1;
  throw new CommandFailure(
    `${first.reminder_id} already repeats, and only the reminder with the smallest ranking fires: one of the two would never fire.`,
    exitCodes.usage,
    {
      hint: `Choose which one fires: --ranking ${first.ranking - 1} for the new one, --ranking ${first.ranking + 1} for ${first.reminder_id}.`,
    },
  );
}

/** What its place means for a reminder that was added and for those that were there, a sentence each. */
export function standingWords(present: readonly Present[], added: New): string[] {
  const first = firstToRepeat(present);
  const behind = present.filter(({ ranking }) => ranking > added.ranking).length;
  // Of two with one ranking the older one goes first.
  if (first !== null && first.ranking <= added.ranking)
    return [
      `It waits behind ${first.reminder_id}, which repeats: it fires only when that one is removed or gets a greater ranking.`,
    ];
  if (added.mode === 'repeat' && behind > 0)
    return [
      `It repeats, so ${behind === 1 ? 'the reminder' : `the ${behind} reminders`} behind it will not fire until it is removed or gets a greater ranking.`,
    ];
  return first === null
    ? []
    : [`It goes before ${first.reminder_id}, which repeats and waits until this one has fired.`];
}

/** Of those that repeat, the one that fires. */
const firstToRepeat = (present: readonly Present[]): Present | null =>
  present.filter(({ mode }) => mode === 'repeat').sort((a, b) => a.ranking - b.ranking)[0] ?? null;
