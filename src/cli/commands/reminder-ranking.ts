import type { Schemas } from '@houmao/sdk';
import { CommandFailure, exitCodes } from '../words/command-failure.js';

type Present = Pick<Schemas['Reminder'], 'reminder_id' | 'ranking' | 'mode'>;

/** Where a new reminder stands. */
export interface UsualRanking {
  readonly ranking: number;
  /** The one that repeats and has to wait for it; null where there is none. */
  readonly before: string | null;
}

/**
 * Where a new reminder stands when nobody says so: behind the others, but not behind one that repeats, which all behind it wait for
 * without end.
 *
 * @throws {CommandFailure} for a second one that repeats: one of the two would never fire.
 */
export function usualRanking(
  present: readonly Present[],
  mode: Schemas['ReminderDefinition']['mode'],
): UsualRanking {
  const [first] = present.filter((one) => one.mode === 'repeat').sort((a, b) => a.ranking - b.ranking);
  if (first === undefined)
    return { ranking: Math.max(-1, ...present.map(({ ranking }) => ranking)) + 1, before: null };
  if (mode === 'one_off') return { ranking: first.ranking - 1, before: first.reminder_id };
  throw new CommandFailure(
    `${first.reminder_id} repeats already, and only the reminder with the smallest ranking fires: of two that repeat, one never does.`,
    exitCodes.usage,
    {
      hint: `Say which: --ranking ${first.ranking - 1} has this one fire, --ranking ${first.ranking + 1} that one.`,
    },
  );
}
