import type { Journal } from '../events/journal.js';
import type { Clock } from '../foundation/clock.js';
import { isAlive } from '../foundation/process-identity.js';
import { signalGroup, signalProcess } from '../foundation/signals.js';
import { endLeftovers } from '../run/leftovers.js';
import type { RecordError } from '../run/record-error.js';
import { jobFileOf, revokeJob } from '../run/turn-job.js';
import { writeTurnEnd } from './turn-end.js';
import { processesOf, type TurnRow, type TurnTable } from './turn-table.js';
import type { Verdict } from './verdict.js';

// A turn whose owner died and that nobody follows: first its processes end, then it is written down as failed.

/**
 * Ends what still runs of a turn that nobody follows, and keeps what waits from starting.
 * @param session its attach identity, and the folder where the turn's job may wait.
 * @returns how many processes there were.
 */
export async function endAbandonedProcesses(
  turn: TurnRow,
  session: { identity: string; run: string },
  clock: Clock,
): Promise<number> {
  // A job that its runner has not read yet would start the agent later; it also holds the turn's environment.
  revokeJob(jobFileOf(session.run, turn.turn_id));
  const known = processesOf(turn).filter(isAlive);
  let ended = 0;
  for (const { pid } of known) {
    // The agent leads its own process group; a runner in a tmux pane does not, so the process itself is signalled too.
    if (signalGroup(pid, 'SIGTERM') || signalProcess(pid, 'SIGTERM')) ended += 1;
  }
  // Processes are also found by their mark: a crash may come before a pid is on disk, and a process may leave its
  // group.
  ended += await endLeftovers(
    { session: session.identity, turnId: turn.turn_id },
    known.at(-1)?.pid ?? null,
    clock,
  );
  for (const process of known) if (isAlive(process)) signalProcess(process.pid, 'SIGKILL');
  return ended;
}

/**
 * Writes down how a turn ended that lost its owner: interrupted where the error says so, else failed. Only inside `Journal.write`.
 * @returns its verdict.
 */
export function writeAbandonedEnd(
  parts: { table: TurnTable; journal: Journal },
  atUtc: string,
  turn: TurnRow,
  error: RecordError,
): Verdict {
  const verdict: Verdict = { outcome: error.code === 'interrupted' ? 'interrupted' : 'failed', error };
  writeTurnEnd(parts, atUtc, turn.turn_id, {
    verdict,
    ...{
      exitCode: null,
      signal: null,
      endedAt: null,
      answer: null,
      usage: null,
      sessionId: turn.provider_session_id,
    },
    // Only the dead owner knew whether the agent got a prompt that was claimed.
    deliveryUnknown: 'the owner of the turn stopped before the agent showed that it took the prompt',
    notTaken: false,
    stranded: false,
  });
  return verdict;
}
