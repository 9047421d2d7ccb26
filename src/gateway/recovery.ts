import { rmSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { isAlive, type ProcessIdentity } from '../foundation/process-identity.js';
import { signalGroup, signalProcess } from '../foundation/signals.js';
import type { SessionPaths } from '../session/session-paths.js';
import { endLeftovers } from '../turn/supervisor.js';
import { jobFileOf } from '../turn/tmux-host.js';
import type { TurnRow } from '../turn/turn-table.js';
import type { Journal } from './journal.js';

const restarted = 'The gateway restarted before this completed; it is not replayed.';

/**
 * What a start does before anything else runs: ends the processes of turns that a dead gateway left, and marks those
 * turns and their requests failed (gateway §2.6, decision 41). Its cost does not grow with finished or waiting rows.
 */
export async function recover(journal: Journal, paths: SessionPaths, clock: Clock): Promise<void> {
  const turns = journal.turns.running();
  const requests = journal.requests.running();
  if (turns.length + requests.length === 0) return;
  let processesEnded = 0;
  for (const turn of turns) {
    // A job that its runner has not read yet would start the agent later; it also holds the turn's environment.
    rmSync(jobFileOf(paths.run, turn.turn_id), { force: true });
    processesEnded += await endProcesses(turn, clock);
  }
  await journal.write((atUtc) => {
    for (const turn of turns) failTurn(journal, atUtc, turn);
    for (const { request_id } of requests) {
      journal.finish(atUtc, {
        requestId: request_id,
        state: 'failed',
        error: { code: 'gateway_restarted', detail: restarted },
        result: null,
      });
    }
    journal.event(atUtc, {
      kind: 'recovered',
      subjectId: null,
      data: { turns_ended: turns.length, processes_ended: processesEnded, requests_failed: requests.length },
    });
  });
}

async function endProcesses(turn: TurnRow, clock: Clock): Promise<number> {
  const known = (JSON.parse(turn.processes_json) as ProcessIdentity[]).filter(isAlive);
  let ended = 0;
  for (const { pid } of known) {
    // The agent leads its own group; a runner in a tmux pane does not, so it is signalled alone as well.
    if (signalGroup(pid, 'SIGTERM') || signalProcess(pid, 'SIGTERM')) ended += 1;
  }
  // Found by their mark too: a crash may come before a pid is on disk, and a process may have left its group.
  ended += await endLeftovers(turn.turn_id, known.at(-1)?.pid ?? null, clock);
  for (const process of known) if (isAlive(process)) signalProcess(process.pid, 'SIGKILL');
  return ended;
}

function failTurn(journal: Journal, atUtc: string, turn: TurnRow): void {
  // Whether the agent got a claimed prompt died with the gateway.
  if (turn.delivery_state === 'claimed' || turn.delivery_state === 'handed_over') {
    journal.turns.deliver(
      turn.turn_id,
      'unconfirmed',
      atUtc,
      'the gateway stopped before the agent showed that it took the prompt',
    );
  }
  journal.turns.end({
    turnId: turn.turn_id,
    endedAtUtc: atUtc,
    outcome: 'failed',
    providerSessionId: turn.provider_session_id,
    exitCode: null,
    signal: null,
    errorCode: 'gateway_restarted',
    errorDetail: restarted,
    answerText: null,
    answerTruncated: false,
  });
  journal.event(atUtc, {
    kind: 'turn_ended',
    subjectId: turn.turn_id,
    data: { turn_id: turn.turn_id, outcome: 'failed', error_code: 'gateway_restarted', at_utc: atUtc },
  });
  if (turn.origin !== 'direct') return;
  journal.event(atUtc, {
    kind: 'control_prompt_failed',
    subjectId: turn.turn_id,
    data: { turn_id: turn.turn_id, error_detail: restarted, outcome: 'failed', finished_at_utc: atUtc },
  });
}
