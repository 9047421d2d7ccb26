import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import type { RecordError } from '../../run/record-error.js';
import { endAbandonedProcesses, writeAbandonedEnd } from '../../turn/end-abandoned.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import { directPromptEnded } from '../direct-prompt.js';
import type { RequestJournal } from './request-journal.js';

export interface RecoveryParts {
  /** Whether a turn runs on without its owner: it is left to be adopted, with its request. */
  runsOn: (turn: TurnRow) => boolean;
  journal: Journal;
  turns: TurnTable;
  queue: RequestJournal;
  /** Its attach identity, and the folder where jobs of its turns wait. */
  session: { identity: string; run: string };
  clock: Clock;
}

const restarted: RecordError = {
  code: 'gateway_restarted',
  detail: 'The gateway restarted before this completed; it is not replayed.',
};

/**
 * What a start does before anything else runs: ends the processes of turns that a dead gateway left, and marks those
 * turns and their requests failed (docs/decisions.md#left-running). Its cost does not grow with finished or waiting
 * rows.
 */
export const recover = (parts: RecoveryParts): Promise<void> =>
  endLeft(parts, restarted, (atUtc, { turns, processes, requests }) =>
    parts.journal.event(atUtc, {
      kind: 'recovered',
      subjectId: null,
      data: { turns_ended: turns, processes_ended: processes, requests_failed: requests },
    }),
  );

/** How many of each were ended. */
interface Ended {
  turns: number;
  processes: number;
  requests: number;
}

/**
 * Ends what nobody follows any more: the processes of turns first, then turns and their requests on record.
 * @param because why they end.
 * @param also what else is written in the same transaction; not called where there was nothing to end.
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
