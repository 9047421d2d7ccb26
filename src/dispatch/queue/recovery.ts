import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import type { Waiters } from '../../foundation/concurrency.js';
import type { RecordError } from '../../run/record-error.js';
import type { TurnCompanion } from '../../turn/live-turn.js';
import { endAbandonedProcesses, writeAbandonedEnd } from '../../turn/turn-end.js';
import type { TurnService } from '../../turn/turn-service.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import { directPromptEnded } from '../direct-prompt.js';
import { companionOf, type RequestJournal, wakeWhenDone } from './request-journal.js';

export interface RecoveryParts {
  /** Decides whether a turn runs on without its owner: it is left to be adopted, together with its request. */
  runsOn: (turn: TurnRow) => boolean;
  journal: Journal;
  turns: TurnTable;
  queue: RequestJournal;
  /**
   * The session's attach identity, and the folder where jobs of its turns wait; null for work of another machine, whose processes are
   * not here.
   */
  session: { identity: string; run: string } | null;
  clock: Clock;
}

export const restarted: RecordError = {
  code: 'gateway_restarted',
  detail: 'The gateway restarted before this completed; it is not replayed.',
};

/**
 * Ends the processes of turns that a dead gateway left, and marks those turns and their requests failed
 * (docs/decisions.md#left-running). A start does this after {@link adoptRunning}, before anything else runs. Its cost does not grow with the number
 * of finished or waiting rows.
 */
export const recover = (parts: RecoveryParts): Promise<void> =>
  endLeft(parts, restarted, (atUtc, { turns, processes, requests }) =>
    parts.journal.event(atUtc, {
      kind: 'recovered',
      subjectId: null,
      data: { turns_ended: turns, processes_ended: processes, requests_failed: requests },
    }),
  );

/** The number of each that were ended. */
interface Ended {
  turns: number;
  processes: number;
  requests: number;
}

/**
 * Ends the work that no process follows any more: the processes of turns first, then turns and their requests on record.
 * @param because the reason that is recorded.
 * @param also further writes in the same transaction; not called when there was nothing to end.
 */
export async function endLeft(
  { runsOn, journal, turns: table, queue, session, clock }: RecoveryParts,
  because: RecordError,
  also: (atUtc: string, ended: Ended) => void,
): Promise<void> {
  const running = table.running();
  const turns = running.filter((turn) => !runsOn(turn));
  const goingOn = new Set(running.filter(runsOn).map(({ request_id }) => request_id));
  const requests = queue.rows.running().filter(({ request_id }) => !goingOn.has(request_id));
  if (turns.length + requests.length === 0) return;
  let processes = 0;
  if (session !== null)
    for (const turn of turns) processes += await endAbandonedProcesses(turn, session, clock);
  await journal.write((atUtc) => {
    for (const turn of turns) {
      const verdict = writeAbandonedEnd({ table, journal }, atUtc, turn, because);
      if (turn.origin === 'direct') journal.event(atUtc, directPromptEnded(turn.turn_id, atUtc, verdict));
    }
    for (const { request_id } of requests)
      queue.finish(atUtc, { requestId: request_id, state: 'failed', error: because, result: null });
    also(atUtc, { turns: turns.length, processes, requests: requests.length });
  });
}

interface AdoptionParts {
  journal: Journal;
  table: TurnTable;
  turns: TurnService;
  queue: RequestJournal;
  waiters: Waiters;
  /** Decides whether a turn was left running, or runs on although its owner died. */
  goesOn: (turn: TurnRow) => boolean;
  report: (fault: string) => void;
  /**
   * Returns the reminder's part in a turn that delivers one. Left out by a process that has no reminders: their gateway
   * reads the turn's record.
   */
  restOfReminder?: (turnId: string) => Pick<TurnCompanion, 'delivered' | 'ended'> | null;
}

/**
 * Adopts the turn that an earlier owner left running, or was running when it died. Nothing is handed over again
 * (docs/decisions.md#left-running); a turn that cannot be followed is left to {@link recover}.
 */
export function adoptRunning(parts: AdoptionParts): void {
  const { table, turns, goesOn, report } = parts;
  for (const turn of table.running().filter(goesOn)) {
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
