import type { AgentTarget } from '../../agent/target/agent-target.js';
import type { RequestJournal, RequestOutcome } from '../../dispatch/queue/request-journal.js';
import { type AxesSource, admissionOf } from '../../dispatch/readiness.js';
import type { Journal } from '../../events/journal.js';
import type { Waiters } from '../../foundation/concurrency.js';
import { internalFault } from '../../run/record-error.js';
import type { TurnService } from '../../turn/turn-service.js';
import { type CoalescePlan, readQueueHead, supersede } from './queue-head.js';

const batchSize = 100;

export interface InterruptRunnerParts {
  journal: Journal;
  queue: RequestJournal;
  axes: AxesSource;
  turns: TurnService;
  target: Pick<AgentTarget, 'interrupt'>;
  bindings: InterruptBindings;
  waiters: Waiters;
  /** Called when an interrupt is done: the queue may go on. */
  done: () => void;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
}

/** An interrupt to carry out now, with the plan of the block of control intents it leads. */
export interface NextInterrupt {
  requestId: string;
  plan: CoalescePlan | null;
}

/** The runner of interrupts, which run beside everything else: they act on the holder of the slot and do not take it. */
export class InterruptRunner {
  readonly #parts: InterruptRunnerParts;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(parts: InterruptRunnerParts) {
    this.#parts = parts;
  }

  /** Resolves when the running interrupts are done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /**
   * Returns the next interrupt. While admission is closed the queue stays unchanged, and only an interrupt for the
   * running turn is taken.
   */
  next(): NextInterrupt | null {
    const { queue, axes, bindings, turns } = this.#parts;
    if (admissionOf(axes.now()) !== 'open') {
      const { liveTurnId } = turns;
      const bound = queue.rows
        .acceptedInterrupts(batchSize)
        .find(({ request_id }) => liveTurnId !== null && bindings.of(request_id) === liveTurnId);
      return bound ? { requestId: bound.request_id, plan: null } : null;
    }
    const [oldest] = queue.rows.acceptedInterrupts(1);
    if (!oldest) return null;
    const { plan } = readQueueHead(queue.rows);
    const leads = plan?.effectiveActions[0] === 'interrupt';
    return leads ? { requestId: plan.nextRequestId, plan } : { requestId: oldest.request_id, plan: null };
  }

  /** Starts an interrupt, and does not wait for its end. */
  async take({ requestId, plan }: NextInterrupt): Promise<void> {
    const { journal, queue, bindings, turns, waiters } = this.#parts;
    const superseded = (plan?.superseded ?? []).map((row) => row.requestId);
    const merged = [requestId, ...superseded];
    const bound = merged.map((id) => bindings.of(id)).filter((id) => id !== null);
    // Interrupts for several turns may have been merged: the result stops the turn that runs.
    const turnId = bound.find((id) => id === turns.liveTurnId) ?? bound[0] ?? null;
    const started = await journal.write((atUtc) => {
      if (plan) supersede(queue, journal, atUtc, plan);
      return queue.start(atUtc, requestId, 'interrupt');
    });
    for (const id of merged) bindings.forget(id);
    for (const id of superseded) waiters.wake(id);
    if (started) this.#track(requestId, this.#interrupt(requestId, turnId));
  }

  async #interrupt(requestId: string, turnId: string | null): Promise<void> {
    const { turns, target } = this.#parts;
    const stopped = turnId === null ? await target.interrupt() : await turns.interrupt(turnId);
    await this.#end(requestId, (atUtc) =>
      stopped.outcome === 'failed'
        ? { requestId, state: 'failed', error: stopped.error, result: null }
        : {
            requestId,
            state: 'completed',
            error: null,
            result: {
              completed_at_utc: atUtc,
              request_kind: 'interrupt',
              outcome: stopped.outcome,
              turn_id: turnId,
              signal: stopped.outcome === 'stopped' ? stopped.signal : null,
            },
          },
    );
  }

  /** Records the outcome. The signals have been sent, so it has to be written to disk, however long that takes. */
  async #end(requestId: string, outcome: (atUtc: string) => RequestOutcome): Promise<void> {
    const { journal, queue, waiters, done } = this.#parts;
    await journal.writeAtLast(
      (atUtc) => void queue.finish(atUtc, outcome(atUtc)),
      () => undefined,
      this.#stopping.signal,
    );
    waiters.wake(requestId);
    done();
  }

  #track(requestId: string, work: Promise<void>): void {
    const { report } = this.#parts;
    const tracked = work
      .catch((error: Error) => {
        report(`an interrupt hit an internal error: ${error.message}`);
        return this.#end(requestId, () => ({
          requestId,
          state: 'failed',
          error: internalFault(error),
          result: null,
        }));
      })
      .catch((error: Error) => report(`an interrupt could not be recorded: ${error.message}`))
      .finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}

/**
 * The turn that each accepted interrupt is meant for: the one that ran when it was accepted, and no later one
 * (docs/decisions.md#interrupts). It is kept in memory only: after a restart no interrupt is bound to a turn.
 */
export class InterruptBindings {
  readonly #turns = new Map<string, string | null>();

  bind(requestId: string, turnId: string | null): void {
    this.#turns.set(requestId, turnId);
  }

  of(requestId: string): string | null {
    return this.#turns.get(requestId) ?? null;
  }

  forget(requestId: string): void {
    this.#turns.delete(requestId);
  }
}
