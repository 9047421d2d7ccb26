import type { Clock } from '../foundation/clock.js';
import type { StopLadder, StopOutcome, StopSignal } from './running-turn.js';

/** Climbs a ladder of signals until `ended` settles. @returns how far it had to go; a no-op when it ended by itself. */
export async function stopGroup(
  send: (signal: NodeJS.Signals) => boolean,
  ended: Promise<unknown>,
  ladder: StopLadder,
  clock: Clock,
): Promise<StopOutcome> {
  let strongest: StopSignal | null = null;
  const over = new AbortController();
  const settled = ended.then(() => over.abort());
  for (const { signal, waitMs } of ladder) {
    if (over.signal.aborted) break;
    if (reached(send, signal)) strongest = signal;
    await clock.sleep(waitMs, over.signal);
  }
  await settled;
  return strongest === null ? { outcome: 'no_op' } : { outcome: 'stopped', signal: strongest };
}

/** A process that we may not signal (it changed its user) is not reached; the turn ends when it ends. */
function reached(send: (signal: NodeJS.Signals) => boolean, signal: NodeJS.Signals): boolean {
  try {
    return send(signal);
  } catch {
    return false;
  }
}
