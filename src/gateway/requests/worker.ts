import { isRefusal, type ResolvedTurn } from '../../agent/target/agent-target.js';
import type { DispatchParts } from '../../dispatch/dispatch-parts.js';
import { companionOf, type RequestJournal, wakeWhenDone } from '../../dispatch/queue/request-journal.js';
import { parseObject } from '../../dispatch/queue/request-records.js';
import type { PromptPayload, RequestRow } from '../../dispatch/queue/request-rows.js';
import { obstacleFor } from '../../dispatch/readiness.js';
import { type Waiters, WakefulLoop } from '../../foundation/concurrency.js';
import { newTurnId } from '../../foundation/ids.js';
import { internalFault, type RecordError } from '../../run/record-error.js';
import { hasRun, type SessionPaths, turnArtifacts } from '../../session/session-paths.js';
import { isWholeDatabase, reportAndGoOn } from '../../storage/storage-fault.js';
import type { InterruptRunner } from './interrupt-runner.js';
import { type CoalescePlan, readQueueHead, supersede } from './queue-head.js';
import { startOf } from './request-reader.js';

// The worker takes accepted requests in the order of insertion:
//
//   asleep ──wake | retry──▶ interrupts ──▶ head of the queue ──nothing to take──▶ asleep
//                                ▲                 │ took one
//                                └─────────────────┘
//
// The head waits for the slot, for admission and for the agent, and stays `accepted` meanwhile.

/** The interval at which the agent is checked while a request waits for it. */
const retryMilliseconds = 1000;

/** The reason why a notice of mail need not be sent any more. */
export interface StaleNotice {
  detail: string;
  /** Records that the notice was dropped. Called inside `Journal.write`. */
  dropped: (requestId: string) => void;
}

export interface WorkerParts extends DispatchParts {
  queue: RequestJournal;
  interrupts: InterruptRunner;
  waiters: Waiters;
  paths: SessionPaths;
  /** Returns why a notice of mail need not be sent any more; null while it should be. */
  staleNotice: () => Promise<StaleNotice | null>;
  /** Called with faults that must be reported. */
  report: (fault: string) => void;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #loop: WakefulLoop;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const goOn = reportAndGoOn('the worker', parts.report);
    this.#loop = new WakefulLoop({
      step: async () => ((await this.#step()) ? 0 : this.#pause()),
      fault: (error) => {
        goOn(error);
        return this.#pause();
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Call this when something changed: a request came, the slot is free, the agent may be back. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no more work; resolves when the loop has ended and the interrupts it started are done. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#parts.interrupts.stop();
  }

  #pause(): number {
    return this.#parts.queue.depth > 0 ? retryMilliseconds : WakefulLoop.untilWoken;
  }

  /** @returns true when it took something and should run again at once. */
  async #step(): Promise<boolean> {
    const { queue, axes, interrupts } = this.#parts;
    if (queue.depth === 0) return false;
    const interrupt = interrupts.next();
    if (interrupt) {
      await interrupts.take(interrupt);
      return true;
    }
    const known = obstacleFor('queue', axes.now())?.code;
    if (known === 'paused' || known === 'busy' || !queue.rows.anyAccepted()) return false;
    const fresh = await axes.observe();
    if (this.#loop.stopping || obstacleFor('queue', fresh)) return false;
    const { head, plan } = readQueueHead(queue.rows);
    // An interrupt that came during the probe goes first.
    if (!head || plan?.effectiveActions[0] === 'interrupt') return true;
    const row = !plan || plan.nextRequestId === head.request_id ? head : queue.rows.find(plan.nextRequestId);
    return row ? this.#takePrompt(row, plan) : true;
  }

  /** Starts a prompt. A fault fails this request, so that it does not block all others. */
  async #takePrompt(row: RequestRow, plan: CoalescePlan | null): Promise<boolean> {
    try {
      return await this.#start(row, plan);
    } catch (error) {
      if (isWholeDatabase(error)) throw error;
      this.#parts.report(`request ${row.request_id} hit an internal error: ${(error as Error).message}`);
      return this.#fail(row.request_id, internalFault(error as Error), null);
    }
  }

  async #start(row: RequestRow, plan: CoalescePlan | null): Promise<boolean> {
    const stale = row.request_kind === 'mail_notifier_prompt' ? await this.#parts.staleNotice() : null;
    if (stale !== null) return this.#drop(row.request_id, stale);
    const order = this.#orderOf(row);
    if ('code' in order) return this.#fail(row.request_id, order, plan);
    const { journal, queue, turns, tool } = this.#parts;
    const begun = await turns.begin(
      {
        ...order,
        origin: row.request_kind === 'mail_notifier_prompt' ? 'notifier' : 'queue',
        requestId: row.request_id,
        tool,
      },
      {
        claimed: (atUtc) => {
          if (plan) supersede(queue, journal, atUtc, plan);
          return queue.start(atUtc, row.request_id, row.request_kind);
        },
        ...companionOf(queue, row),
      },
    );
    if (!begun) return false;
    this.#wakeSuperseded(plan);
    this.#parts.waiters.wake(startOf(row.request_id));
    wakeWhenDone(begun, row.request_id, this.#parts);
    return true;
  }

  /** Returns how this row will run, or why it cannot. */
  #orderOf(row: RequestRow): (ResolvedTurn & { turnId: string; prompt: string }) | RecordError {
    const { axes, target, paths } = this.#parts;
    const payload = parseObject(row.payload_json) as Partial<PromptPayload>;
    if (row.managed_agent_instance_epoch !== axes.now().epoch) {
      return {
        code: 'instance_changed',
        detail: `Accepted for instance epoch ${row.managed_agent_instance_epoch}; it is not replayed on another.`,
      };
    }
    if (typeof payload.prompt !== 'string')
      return { code: 'internal_fault', detail: 'The stored request cannot be read.' };
    const turnId = payload.turn_id ?? newTurnId();
    if (hasRun(turnArtifacts(paths, turnId)))
      return { code: 'internal_fault', detail: `A turn named ${turnId} has run meanwhile.` };
    const resolved = target.resolve(
      { chatSession: payload.chat_session ?? null, execution: payload.execution ?? null },
      { override: null, forced: false },
    );
    return isRefusal(resolved) ? resolved : { ...resolved, turnId, prompt: payload.prompt };
  }

  /** Completes a notice that need not be sent any more (docs/decisions.md#stale-notices). */
  async #drop(requestId: string, stale: StaleNotice): Promise<boolean> {
    const { journal, queue, waiters } = this.#parts;
    await journal.write((atUtc) => {
      const result = { delivered: false, detail: stale.detail };
      if (queue.finish(atUtc, { requestId, state: 'completed', error: null, result }))
        stale.dropped(requestId);
    });
    waiters.wake(requestId);
    return true;
  }

  async #fail(requestId: string, error: RecordError, plan: CoalescePlan | null): Promise<boolean> {
    const { journal, queue, waiters } = this.#parts;
    await journal.write((atUtc) => {
      if (plan) supersede(queue, journal, atUtc, plan);
      queue.finish(atUtc, { requestId, state: 'failed', error, result: null });
    });
    this.#wakeSuperseded(plan);
    waiters.wake(requestId);
    return true;
  }

  #wakeSuperseded(plan: CoalescePlan | null): void {
    for (const { requestId } of plan?.superseded ?? []) this.#parts.waiters.wake(requestId);
  }
}
