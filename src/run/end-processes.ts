import { readdirSync } from 'node:fs';
import type { Clock } from '../foundation/clock.js';
import { processesOfTurn, type TurnMark } from '../foundation/marked-processes.js';
import { linuxProcessStat, signalGroup, signalProcess } from '../foundation/processes.js';
import type { StopLadder, StopOutcome, StopSignal } from './running-turn.js';

/**
 * Sends the signals of a ladder one after the other until `ended` settles.
 * @returns the strongest signal it took; a no-op when the turn ended by itself.
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

/** A process that changed its user may not be signalled; the turn ends when that process ends. */
function reached(send: (signal: NodeJS.Signals) => boolean, signal: NodeJS.Signals): boolean {
  try {
    return send(signal);
  } catch {
    return false;
  }
}

/** Between TERM and KILL for what an agent left behind. */
const termMilliseconds = 500;
/** What survives KILL for so long sleeps in the kernel; nothing is gained by waiting on. */
const enoughMilliseconds = 5000;
const lookAgainMilliseconds = 20;

/**
 * Ends the process group, and processes that left it but carry the mark of the turn.
 * @param groupLeader null when it is not known, or its pid may be somebody else's by now.
 * @returns how many there were.
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
    await clock.sleep(lookAgainMilliseconds);
    waited += lookAgainMilliseconds;
    if (waited > enoughMilliseconds) break;
  }
  return found;
}

/**
 * Signals a process group.
 * @returns whether a living process is in it. A zombie takes signals too, and stays for ever in a container without a
 *   real init.
 */
function signalLivingGroup(leaderPid: number, signal: NodeJS.Signals): boolean {
  if (!signalGroup(leaderPid, signal)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && linuxProcessStat(Number(name))?.group === leaderPid,
  );
}
