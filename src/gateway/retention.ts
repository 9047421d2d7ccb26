import type { Clock } from '../foundation/clock.js';
import { ClockJump } from '../foundation/clock-jump.js';
import { toSecondStamp } from '../foundation/timestamps.js';
import type { Journal } from './journal.js';
import { isWholeDatabase } from './storage/storage-fault.js';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const sweepMilliseconds = 60 * 60 * 1000;
/** Rows per transaction, so that a large sweep holds nobody up. */
const batchSize = 200;

/**
 * Forgets finished requests after some days, together with their turns and idempotency keys. Only runs when
 * `--retain-days` was given; nothing is deleted by default. Events and artifacts stay. A clock that was set is not
 * believed at once: were it wrong, everything would look old.
 * @param report told of such a clock.
 */
export async function sweepWhile(
  journal: Journal,
  days: number,
  clock: Clock,
  signal: AbortSignal,
  report: (fault: string) => void,
): Promise<void> {
  const set = new ClockJump(clock);
  while (!signal.aborted) {
    const jump = set.look();
    if (jump !== 0)
      report(`the clock was set by ${Math.round(jump / 1000)} s; nothing is forgotten for an hour`);
    else
      await sweep(journal, new Date(clock.now().getTime() - days * dayMilliseconds), clock, signal).catch(
        unlessStorage,
      );
    await clock.sleep(sweepMilliseconds, signal);
  }
}

/** What cannot be stored now is forgotten with the next sweep. */
function unlessStorage(error: unknown): void {
  if (!isWholeDatabase(error)) throw error;
}

async function sweep(journal: Journal, before: Date, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let forgotten = batchSize; forgotten === batchSize && !signal.aborted; ) {
    forgotten = await journal.write(() =>
      forget(journal, journal.requests.finishedBefore(toSecondStamp(before), batchSize)),
    );
    // Others come first.
    await clock.sleep(10, signal);
  }
}

function forget(journal: Journal, requestIds: readonly string[]): number {
  for (const requestId of requestIds) {
    journal.idempotency.forget(requestId);
    journal.turns.forget(requestId);
    journal.requests.forgetError(requestId);
    journal.requests.forget(requestId);
  }
  return requestIds.length;
}
