import type { Clock } from '../foundation/clock.js';
import type { StopLadder } from './running-turn.js';

/** Climbs a ladder of signals until `ended` settles, and says how far it had to go. */
export async function stopGroup(
  send: (signal: NodeJS.Signals) => boolean,
  ended: Promise<unknown>,
  ladder: StopLadder,
  clock: Clock,
): Promise<StopLadder[number]['signal']> {
  let strongest: StopLadder[number]['signal'] = 'SIGINT';
  const over = new AbortController();
  const settled = ended.then(() => over.abort());
  for (const { signal, waitMs } of ladder) {
    if (over.signal.aborted) break;
    if (send(signal)) strongest = signal;
    await clock.sleep(waitMs, over.signal);
  }
  await settled;
  return strongest;
}
