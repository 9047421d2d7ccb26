import type { Waiters } from '../../foundation/waiters.js';
import type { BegunTurn, TurnCompanion } from '../../turn/begun-turn.js';
import type { RequestJournal } from './request-journal.js';
import { isFinal, type RequestRow } from './request-row.js';

type Row = Pick<RequestRow, 'request_id' | 'request_kind'>;

/** Ends a request with its turn, or as soon as an agent that stays has the prompt (docs/decisions.md#turns-of-a-terminal). */
export function companionOf(
  queue: RequestJournal,
  { request_id, request_kind }: Row,
): Required<Pick<TurnCompanion, 'delivered' | 'ended'>> {
  const complete = (atUtc: string): void =>
    void queue.finish(atUtc, {
      requestId: request_id,
      state: 'completed',
      error: null,
      result: { completed_at_utc: atUtc, request_kind },
    });
  return {
    delivered: complete,
    // A request that was completed by its delivery stays so.
    ended: (atUtc, { outcome, error }) =>
      outcome === 'completed'
        ? complete(atUtc)
        : void queue.finish(atUtc, { requestId: request_id, state: 'failed', error, result: null }),
  };
}

/** Tells whoever waits for a request once it has ended: with its delivery where the agent stays, else with its turn. */
export function wakeWhenDone(
  begun: BegunTurn,
  requestId: string,
  { queue, waiters, report }: { queue: RequestJournal; waiters: Waiters; report: (fault: string) => void },
): void {
  const wake = (): void => waiters.wake(requestId);
  const fault = (error: Error): void => report(`a turn hit an internal error: ${error.message}`);
  const delivered = (): void => {
    const row = queue.rows.find(requestId);
    if (row && isFinal(row.state)) wake();
  };
  begun.handedOver.then(delivered).catch(fault);
  begun.over.then(wake).catch(fault);
}
