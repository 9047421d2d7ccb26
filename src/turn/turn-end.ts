import type { Journal } from '../events/journal.js';
import { type Clock, toSecondStamp } from '../foundation/clock.js';
import { isAlive, signalGroup, signalProcess } from '../foundation/processes.js';
import { countedWith, firstCodePoints } from '../foundation/text.js';
import { endLeftovers } from '../run/end-processes.js';
import { explainProviderError, type RecordError, type RecordErrorCode } from '../run/record-error.js';
import type { TurnOutcome, TurnSigns } from '../run/running-turn.js';
import { jobFileOf, revokeJob } from '../run/turn-job.js';
import { processesOf, type StopReason, type TurnRow, type TurnTable } from './turn-table.js';

// The end of a turn: the verdict on it, which is a pure decision, and how it is put on record.

export interface Verdict {
  outcome: TurnOutcome;
  error: RecordError | null;
}

/**
 * Judges a turn by what the agent said, not by its exit code alone: real CLIs exit 0 after an interrupt and non-zero
 * after an answer (docs/decisions.md#verdict).
 */
export function judge(signs: TurnSigns, stop: StopReason | null): Verdict {
  if (signs.startFault) return failed(signs.startFault.code, signs.startFault.detail);
  if (signs.completion?.successful) return { outcome: 'completed', error: null };
  // When a turn was stopped, the stop reason says more than the server's "interrupted".
  if (signs.reportedOutcome && !(stop && signs.reportedOutcome.outcome === 'interrupted'))
    return signs.reportedOutcome;
  if (stop === 'replace') {
    return {
      outcome: 'replaced',
      error: { code: 'replaced', detail: 'The turn was ended to make room for a forced prompt.' },
    };
  }
  if (stop === 'interrupt') {
    return { outcome: 'interrupted', error: { code: 'interrupted', detail: 'The turn was interrupted.' } };
  }
  if (stop === 'shutdown') {
    return {
      outcome: 'interrupted',
      error: { code: 'interrupted', detail: 'The gateway was stopped while the turn ran.' },
    };
  }
  if (stop === 'time_limit')
    return failed('turn_time_limit', 'The turn ran longer than a turn of this agent may, and was ended.');
  if (signs.sessionLost) {
    return failed(
      'provider_session_lost',
      `The agent no longer knows the conversation it was to continue. ${lastWords(signs)}`,
    );
  }
  if (signs.supervisorLost) {
    return failed(
      'agent_crashed',
      'The supervisor of the turn vanished before the agent ended; was its tmux pane closed?',
    );
  }
  if (signs.completion) return providerFailure(signs.completion.message, signs);
  if (signs.signal)
    return failed('agent_crashed', `The agent was killed by ${signs.signal}. ${lastWords(signs)}`);
  if (signs.exitCode !== 0) return exitFailure(signs);
  if (signs.oversizedRows > 0) {
    return failed(
      'no_result',
      `The agent ended without a result that could be read; ${countedWith(signs.oversizedRows, 'row', ['was', 'were'])} over 16 MiB.`,
    );
  }
  return failed('no_result', `The agent exited with code 0 but never reported a result. ${lastWords(signs)}`);
}

/** The longest detail, in characters: people read it, and an agent's words may be megabytes. */
const maxDetail = 2000;

const failed = (code: RecordErrorCode, detail: string): Verdict => ({
  outcome: 'failed',
  error: { code, detail: firstCodePoints(detail.trim(), maxDetail) },
});

function providerFailure(message: string, signs: TurnSigns): Verdict {
  const explained = explainProviderError(message);
  if (explained) return failed('api_error', explained);
  return failed(
    'agent_failed',
    message.trim() || lastWords(signs) || 'The agent reported a failure without a reason.',
  );
}

function exitFailure(signs: TurnSigns): Verdict {
  const explained = explainProviderError(signs.lastError ?? '');
  if (explained) return failed('api_error', explained);
  return failed(
    'agent_failed',
    `The agent exited with code ${signs.exitCode}. ${signs.lastError ?? lastWords(signs)}`,
  );
}

/** Returns the last three lines that the agent wrote to stderr, as one line. */
function lastWords(signs: TurnSigns): string {
  const lines = signs.stderrTail.trim().split('\n').slice(-3).join(' | ');
  return lines === '' ? '' : `Its last words: ${lines}`;
}

/** The end of a turn, as far as it goes into the turn's record. */
export interface TurnEnding
  extends Pick<
    TurnSigns,
    | 'exitCode'
    | 'signal'
    | 'endedAt'
    | 'sessionId'
    | 'answer'
    | 'usage'
    | 'outcomeUnknown'
    | 'notTaken'
    | 'stranded'
  > {
  verdict: Verdict;
}

/**
 * Records the end of a turn: what is known of its delivery, its outcome and its events. Only inside `Journal.write`.
 * @returns false when it had ended before; nothing was written then.
 */
export function writeTurnEnd(
  { table, journal }: { table: TurnTable; journal: Journal },
  atUtc: string,
  turnId: string,
  { verdict, ...ending }: TurnEnding,
): boolean {
  const row = table.find(turnId);
  if (row?.state !== 'running') return false;
  const { request_id } = row;
  const unknown = ending.outcomeUnknown;
  const undelivered = ending.notTaken || (row.delivery_state === 'claimed' && unknown === null);
  if (undelivered && row.delivery_state !== 'confirmed')
    table.deliver(turnId, 'failed', atUtc, verdict.error?.detail ?? null);
  else if (row.delivery_state === 'claimed' || row.delivery_state === 'handed_over')
    table.deliver(
      turnId,
      'unconfirmed',
      atUtc,
      unknown ?? 'the agent ended without showing that it took the prompt',
    );
  const endedAtUtc = endTime(row.started_at_utc, ending.endedAt, atUtc);
  table.end({
    turnId,
    endedAtUtc,
    outcome: verdict.outcome,
    providerSessionId: ending.sessionId,
    exitCode: ending.exitCode,
    signal: ending.signal,
    errorCode: verdict.error?.code ?? null,
    errorDetail: verdict.error?.detail ?? null,
    answerText: ending.answer?.text ?? null,
    answerTruncated: ending.answer?.truncated ?? false,
  });
  const plan = table.plan(turnId);
  if (ending.usage) table.noteUsage(turnId, ending.usage);
  table.usageDays.add({
    day: endedAtUtc.slice(0, 10),
    outcome: verdict.outcome,
    usage: ending.usage,
    providerSessionId: ending.sessionId,
    session: plan?.session ?? null,
  });
  journal.event(atUtc, {
    kind: 'turn_ended',
    subjectId: turnId,
    data: {
      turn_id: turnId,
      request_id,
      outcome: verdict.outcome,
      error_code: verdict.error?.code ?? null,
      at_utc: atUtc,
    },
  });
  if (verdict.error?.code === 'provider_session_lost' && plan) {
    journal.event(atUtc, {
      kind: 'provider_session_lost',
      subjectId: turnId,
      data: { turn_id: turnId, request_id, session: plan.session, at_utc: atUtc },
    });
  }
  table.dropPlan(turnId);
  // A prompt that may still appear stays on record, for whichever gateway runs then.
  if (!ending.stranded) table.dropPasted(turnId);
  return true;
}

/**
 * Returns the time at which a turn ended. The traces of its process still show that time hours later; a time outside the
 * turn, for instance after the clock was set, is not used.
 * @param notedAtUtc the time at which the end was noticed, used otherwise.
 */
export function endTime(startedAtUtc: string, seen: Date | null, notedAtUtc: string): string {
  if (seen === null) return notedAtUtc;
  const stamp = toSecondStamp(seen);
  const isWithin =
    Date.parse(stamp) >= Date.parse(startedAtUtc) && Date.parse(stamp) <= Date.parse(notedAtUtc);
  return isWithin ? stamp : notedAtUtc;
}

// A turn whose owner died and that no process follows: first its processes are ended, then its end is recorded.

/**
 * Ends the remaining processes of a turn that no process follows, and keeps its waiting job from starting.
 * @param session its attach identity, and the folder where the turn's job may wait.
 * @returns how many processes were ended.
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
 * Records the end of a turn that lost its owner: interrupted if the error says so, failed otherwise. Only inside
 * `Journal.write`.
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
    exitCode: null,
    signal: null,
    endedAt: null,
    answer: null,
    usage: null,
    sessionId: turn.provider_session_id,
    // Only the dead owner knew whether the agent got a prompt that was claimed.
    outcomeUnknown: 'the owner of the turn stopped before the agent showed that it took the prompt',
    notTaken: false,
    stranded: false,
  });
  return verdict;
}
