import type { RequestJournal } from '../../dispatch/queue/request-journal.js';
import type { AxesSource } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { Waiters } from '../../foundation/concurrency.js';
import type { RecordError } from '../../run/record-error.js';
import type { TurnRow, TurnTable } from '../../turn/turn-table.js';
import type { Epochs } from '../status/epochs.js';
import type { InterruptBindings } from './interrupt-runner.js';

export interface ControlParts {
  journal: Journal;
  queue: RequestJournal;
  epochs: Epochs;
  axes: Pick<AxesSource, 'observe'>;
  waiters: Waiters;
  bindings: InterruptBindings;
  turnTable: Pick<TurnTable, 'ofRequest'>;
  wakeWorker: () => void;
}

/** The changes that callers and operators make to requests that wait: cancel, pause, reconcile. */
export class RequestControl {
  readonly #parts: ControlParts;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /**
   * Takes a waiting request out of the queue; a repeated call changes nothing.
   * @returns why it is too late, in a sentence; null when it is cancelled now, or the id is unknown.
   */
  async cancel(requestId: string): Promise<string | null> {
    const { journal, queue, bindings, turnTable, waiters, wakeWorker } = this.#parts;
    const refusal = await journal.write((atUtc) => {
      const row = queue.rows.find(requestId);
      if (!row || row.state === 'cancelled') return null;
      if (row.state !== 'accepted') return tooLate(requestId, row.state, turnTable.ofRequest(requestId));
      queue.finish(atUtc, { requestId, state: 'cancelled', error: null, result: null });
      return null;
    });
    if (refusal !== null) return refusal;
    bindings.forget(requestId);
    waiters.wake(requestId);
    wakeWorker();
    return null;
  }

  /** Pauses or resumes the queue; the setting is kept across restarts. */
  async setPaused(paused: boolean): Promise<void> {
    const { journal, queue, wakeWorker } = this.#parts;
    await journal.write((atUtc) => queue.setPaused(atUtc, paused));
    wakeWorker();
  }

  /** Settles the work of earlier instances of the agent and opens admission again. */
  async reconcile(
    action: 'adopt' | 'discard',
  ): Promise<{ adopted: number; discarded: number; epoch: number }> {
    const { journal, axes, epochs, waiters, wakeWorker } = this.#parts;
    await axes.observe();
    const { adopted, discarded } = await journal.write((atUtc) => this.#settle(atUtc, action));
    for (const requestId of discarded) waiters.wake(requestId);
    wakeWorker();
    return { adopted, discarded: discarded.length, epoch: epochs.current };
  }

  #settle(atUtc: string, action: 'adopt' | 'discard'): { adopted: number; discarded: string[] } {
    const { journal, queue, epochs } = this.#parts;
    if (!epochs.needsReconciliation) return { adopted: 0, discarded: [] };
    const { epoch, lastInstanceId } = epochs.record;
    const discarded = action === 'discard' ? queue.rows.acceptedBeforeEpoch(epoch) : [];
    for (const requestId of discarded) {
      const error: RecordError = {
        code: 'discarded',
        detail: 'Discarded: it was accepted for an earlier instance of the agent.',
      };
      queue.finish(atUtc, { requestId, state: 'cancelled', error, result: null });
    }
    const adopted = action === 'adopt' ? queue.rows.adopt(epoch) : 0;
    epochs.settle();
    journal.event(atUtc, {
      kind: 'reconciled',
      subjectId: lastInstanceId,
      data: {
        action,
        adopted,
        discarded: discarded.length,
        managed_agent_instance_epoch: epoch,
        at_utc: atUtc,
      },
    });
    return { adopted, discarded };
  }
}

/**
 * Explains why it is too late. The request of an agent in a terminal has ended once its prompt is delivered, while its
 * turn goes on.
 */
function tooLate(requestId: string, state: string, turn: Pick<TurnRow, 'turn_id' | 'state'> | null): string {
  if (turn !== null && turn.state !== 'ended')
    return `The turn ${turn.turn_id} of request ${requestId} runs; to stop it, send an interrupt with X-Houmao-If-Turn: ${turn.turn_id}.`;
  return state === 'running'
    ? `Request ${requestId} is running; send an interrupt to stop it.`
    : `Request ${requestId} has ended (${state}).`;
}
