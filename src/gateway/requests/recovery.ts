import { directPromptEnded } from '../../dispatch/direct-prompt.js';
import type { Journal } from '../../events/journal.js';
import type { Clock } from '../../foundation/clock.js';
import type { RecordError } from '../../run/record-error.js';
import { endAbandonedProcesses, writeAbandonedEnd } from '../../turn/end-abandoned.js';
import type { TurnTable } from '../../turn/turn-table.js';
import type { RequestJournal } from './request-journal.js';

export interface RecoveryParts {
  /** Turns of an agent that stays run on without a gateway: they are left to be adopted, with their requests. */
  turnsRunOn: boolean;
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
export async function recover({
  turnsRunOn,
  journal,
  turns: table,
  queue,
  session,
  clock,
}: RecoveryParts): Promise<void> {
  const running = table.running();
  const turns = turnsRunOn ? [] : running;
  const goingOn = new Set(turnsRunOn ? running.map(({ request_id }) => request_id) : []);
  const requests = queue.rows.running().filter(({ request_id }) => !goingOn.has(request_id));
  if (turns.length + requests.length === 0) return;
  let processesEnded = 0;
  for (const turn of turns) processesEnded += await endAbandonedProcesses(turn, session, clock);
  await journal.write((atUtc) => {
    for (const turn of turns) {
      const verdict = writeAbandonedEnd({ table, journal }, atUtc, turn, restarted);
      if (turn.origin === 'direct') journal.event(atUtc, directPromptEnded(turn.turn_id, atUtc, verdict));
    }
    for (const { request_id } of requests)
      queue.finish(atUtc, { requestId: request_id, state: 'failed', error: restarted, result: null });
    journal.event(atUtc, {
      kind: 'recovered',
      subjectId: null,
      data: { turns_ended: turns.length, processes_ended: processesEnded, requests_failed: requests.length },
    });
  });
}
