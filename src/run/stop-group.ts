import type { Clock } from '../foundation/clock.js';
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
