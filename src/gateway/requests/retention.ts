import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import type { Journal } from '../../events/journal.js';
import { type Clock, ClockJump, toSecondStamp } from '../../foundation/clock.js';
import type { IdempotencyKeys } from '../../storage/idempotency-keys.js';
import { unlessStorage } from '../../storage/storage-fault.js';
import type { TurnTable } from '../../turn/turn-table.js';

export interface RetentionParts {
  journal: Journal;
  queue: RequestJournal;
  turns: TurnTable;
  /** The keys that are deleted by their age; those of requests are deleted with their request. */
  agedKeys: readonly IdempotencyKeys[];
  /** @returns how many rows were forgotten, `most` at most. @param before a time in UTC. */
  notifierTable: { forgetAudit: (before: string, most: number) => number };
  clock: Clock;
  /** Called when the clock was set. */
  report: (fault: string) => void;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
const sweepMilliseconds = 60 * 60 * 1000;
/** Rows per transaction, so that a large sweep does not delay other work for long. */
const batchSize = 200;

/**
 * Deletes finished requests after some days, together with their turns and idempotency keys, the keys of mail and of direct
 * prompts and the audit of the notifier (docs/decisions.md#retention). Only runs when `--retain-days` was given; nothing is deleted by default. Events and
 * artifacts stay. After the clock was set nothing is deleted for a while: if the clock is wrong, everything looks old.
 */
export async function sweepWhile(parts: RetentionParts, days: number, signal: AbortSignal): Promise<void> {
  const { clock, report } = parts;
  const set = new ClockJump(clock);
  while (!signal.aborted) {
    const jump = set.check();
    if (jump !== 0)
      report(`the clock was set by ${Math.round(jump / 1000)} s; nothing is deleted for an hour`);
    else
      await sweep(parts, new Date(clock.now().getTime() - days * dayMilliseconds), signal).catch(
        // Rows that cannot be deleted now are deleted by the next sweep.
        (error: unknown) =>
          unlessStorage(error, (fault) => {
            throw fault;
          }),
      );
    await clock.sleep(sweepMilliseconds, signal);
  }
}

async function sweep(parts: RetentionParts, before: Date, signal: AbortSignal): Promise<void> {
  const { journal, queue, agedKeys, notifierTable, clock } = parts;
  const before_utc = toSecondStamp(before);
  for (let forgotten = batchSize; forgotten === batchSize && !signal.aborted; ) {
    forgotten = await journal.write((atUtc) => {
      const requests = forget(parts, queue.rows.finishedBefore(before_utc, batchSize));
      const keys = agedKeys.map((aged) => aged.forgetBefore(before.getTime(), batchSize));
      const audits = notifierTable.forgetAudit(before_utc, batchSize);
      const most = Math.max(requests, ...keys, audits);
      const data = { requests, keys: keys.reduce((sum, count) => sum + count, 0), audits, before_utc };
      if (most > 0) journal.event(atUtc, { kind: 'requests_forgotten', subjectId: null, data });
      return most;
    });
    // Lets other work run first.
    await clock.sleep(10, signal);
  }
}

function forget({ queue, turns }: RetentionParts, requestIds: readonly string[]): number {
  for (const requestId of requestIds) {
    queue.idempotency.forgetSubject(requestId);
    turns.metadata.forget(requestId);
    turns.forgetUsage(requestId);
    turns.forget(requestId);
    queue.rows.forgetError(requestId);
    queue.rows.forget(requestId);
  }
  return requestIds.length;
}
