import type { Journal } from '../../events/journal.js';
import type { Waiters } from '../../foundation/waiters.js';
import type { TurnCompanion } from '../../turn/begun-turn.js';
import type { TurnService } from '../../turn/turn-service.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import { directPromptEnded } from '../direct-prompt.js';
import type { RequestJournal } from './request-journal.js';
import { companionOf, wakeWhenDone } from './request-turn.js';

export interface AdoptionParts {
  journal: Journal;
  table: TurnTable;
  turns: TurnService;
  queue: RequestJournal;
  waiters: Waiters;
  report: (fault: string) => void;
  /** What ends with a turn that delivers a reminder; left out by who has no reminders: their gateway asks the turn's record. */
  restOfReminder?: (turnId: string) => Pick<TurnCompanion, 'delivered' | 'ended'> | null;
}

/**
 * Goes on with the turn that an earlier owner left running, or died with, and that recovery did not end. Nothing is handed
 * over again (docs/decisions.md#left-running).
 */
export function adoptRunning(parts: AdoptionParts): void {
  const { table, turns, report } = parts;
  for (const turn of table.running()) {
    const begun = turns.adopt(turn.turn_id, companionFor(parts, turn));
    if (!begun) report(`turn ${turn.turn_id} runs by its record and could not be followed`);
    else if (turn.request_id !== null) wakeWhenDone(begun, turn.request_id, parts);
  }
}

function companionFor(
  { journal, queue, restOfReminder }: AdoptionParts,
  { turn_id, origin, request_id }: TurnRow,
): Pick<TurnCompanion, 'delivered' | 'ended'> {
  const row = request_id === null ? null : queue.rows.find(request_id);
  if (row) return companionOf(queue, row);
  const reminder = origin === 'reminder' ? restOfReminder?.(turn_id) : null;
  if (reminder) return reminder;
  return {
    ended: (atUtc, verdict) => {
      if (origin === 'direct') journal.event(atUtc, directPromptEnded(turn_id, atUtc, verdict));
    },
  };
}
