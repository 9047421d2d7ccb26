import { readdirSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { processesOfTurn, type TurnMark } from '../foundation/marked-processes.js';
import { linuxProcessStat, signalGroup, signalProcess } from '../foundation/processes.js';
import type { StopLadder, StopOutcome, StopSignal } from './running-turn.js';

/**
 * Sends the signals of a ladder one after the other until `ended` settles.
 * @returns the strongest signal that was sent; a no-op if the turn ended by itself.
 */
export async function stopGroup(
  send: (signal: NodeJS.Signals) => boolean,
  ended: Promise<unknown>,
  ladder: StopLadder,
  clock: Clock,
): Promise<StopOutcome> {
  let strongest: StopSignal | null = null;
  const over = new AbortController();
  const settled = ended.then(
    () => over.abort(),
    () => over.abort(),
  );
  for (const { signal, waitMs } of ladder) {
    if (over.signal.aborted) break;
    if (reached(send, signal)) strongest = signal;
    await clock.sleep(waitMs, over.signal);
  }
  await settled;
  return strongest === null ? { outcome: 'no_op' } : { outcome: 'stopped', signal: strongest };
}

/** Sends a signal. A process that changed its user may not be signalled; the turn ends when that process ends. */
function reached(send: (signal: NodeJS.Signals) => boolean, signal: NodeJS.Signals): boolean {
  try {
    return send(signal);
  } catch {
    return false;
  }
}

/** The time between SIGTERM and SIGKILL for processes that an agent left behind. */
const termMilliseconds = 500;
/** A process that survives SIGKILL for this long sleeps in the kernel; waiting longer would not help. */
const enoughMilliseconds = 5000;
const pollMilliseconds = 20;

/**
 * Ends the process group, and processes that left it but carry the mark of the turn.
 * @param groupLeader null if it is unknown, or if its pid may belong to another process by now.
 * @returns the number of processes found.
 */
export async function endLeftovers(
  mark: TurnMark,
  groupLeader: number | null,
  clock: Clock,
): Promise<number> {
  const signalAll = (signal: NodeJS.Signals): number => {
    const group = groupLeader !== null && signalLivingGroup(groupLeader, signal) ? 1 : 0;
    const marked = processesOfTurn(mark).filter((pid) => signalProcess(pid, signal));
    return group + marked.length;
  };
  const found = signalAll('SIGTERM');
  for (
    let left = found, waited = 0;
    left > 0;
    left = signalAll(waited < termMilliseconds ? 'SIGTERM' : 'SIGKILL')
  ) {
    await clock.sleep(pollMilliseconds);
    waited += pollMilliseconds;
    if (waited > enoughMilliseconds) break;
  }
  return found;
}

/**
 * Signals a process group.
 * @returns whether a living process is in it. A zombie accepts signals too, and stays forever in a container without a real init.
 */
function signalLivingGroup(leaderPid: number, signal: NodeJS.Signals): boolean {
  if (!signalGroup(leaderPid, signal)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && linuxProcessStat(Number(name))?.group === leaderPid,
  );
}
