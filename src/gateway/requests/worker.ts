import { newTurnId } from '../../foundation/ids.js';
import { WakefulLoop } from '../../foundation/wakeful-loop.js';
import type { SessionPaths } from '../../session/session-paths.js';
import { hasRun, turnArtifacts } from '../../session/turn-artifacts.js';
import { isRefusal, type ResolvedTurn } from '../../target/agent-target.js';
import type { Verdict } from '../../turn/verdict.js';
import type { DispatchParts } from '../dispatch-parts.js';
import type { RequestOutcome } from '../journal.js';
import { isWholeDatabase } from '../storage/storage-fault.js';
import { blockLength, type CoalescePlan, type PendingRow, planCoalescing } from './coalesce.js';
import type { InterruptBindings } from './interrupt-bindings.js';
import { parseObject } from './request-record.js';
import type { PromptPayload, RequestRow } from './request-row.js';

// The worker takes accepted requests in the order of insertion:
//
//   asleep ──wake | retry──▶ interrupts ──▶ head of the queue ──nothing to take──▶ asleep
//                                ▲                 │ took one
//                                └─────────────────┘
//
// Interrupts run beside everything else: they act on the holder of the slot and do not take it (decision 8). The head
// waits for the slot, for admission and for the agent; what keeps it leaves it `accepted`.

/** While something waits for the agent, look again this often. */
const retryMilliseconds = 1000;
const batchSize = 100;

export interface WorkerParts extends DispatchParts {
  paths: SessionPaths;
  bindings: InterruptBindings;
  /** Takes faults that must not be silent. */
  report: (fault: string) => void;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #loop: WakefulLoop;
  readonly #interrupts = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#loop = new WakefulLoop({
      step: async () => ((await this.#step()) ? 0 : this.#pause()),
      fault: (error) => {
        // Who watches over the queue tells of that.
        if (!isWholeDatabase(error)) parts.report(`the worker met a fault and goes on: ${error.message}`);
        return this.#pause();
      },
      clock: parts.clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Something changed: a request came, the slot is free, the agent may be back. */
  wake(): void {
    this.#loop.wake();
  }

  /** Takes no more work; resolves when the loop has left and the interrupts it started are done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await Promise.all(this.#interrupts);
  }

  #pause(): number {
    return this.#parts.journal.memory.depth > 0 ? retryMilliseconds : WakefulLoop.untilWoken;
  }

  /** @returns true when it took something and should look again at once. */
  async #step(): Promise<boolean> {
    const { journal, slot, board } = this.#parts;
    if (journal.memory.depth === 0) return false;
    const interrupt = this.#nextInterrupt();
    if (interrupt) return this.#takeInterrupt(interrupt.requestId, interrupt.plan);
    if (journal.memory.paused || !slot.free || journal.requests.oldestAccepted(0, 1).length === 0)
      return false;
    await board.look();
    if (this.#loop.stopping) return false;
    const status = board.snapshot();
    if (status.request_admission !== 'open' || status.terminal_surface_eligibility === 'not_ready')
      return false;
    const block = this.#headBlock();
    // An interrupt that came during the probe goes first.
    if (!block.head || block.plan?.effectiveActions[0] === 'interrupt') return true;
    const row = block.plan ? journal.requests.find(block.plan.nextRequestId) : block.head;
    return row ? this.#takePrompt(row, block.plan) : true;
  }

  /**
   * The interrupt to carry out now, with the plan of the block it leads. While admission is closed the queue stays as it
   * is; then only an interrupt for the running turn is taken.
   */
  #nextInterrupt(): { requestId: string; plan: CoalescePlan | null } | null {
    const { journal, board, bindings, turns } = this.#parts;
    if (board.snapshot().request_admission !== 'open') {
      const { liveTurnId } = turns;
      const bound = journal.requests
        .acceptedInterrupts(batchSize)
        .find(({ request_id }) => liveTurnId !== null && bindings.of(request_id) === liveTurnId);
      return bound ? { requestId: bound.request_id, plan: null } : null;
    }
    const [oldest] = journal.requests.acceptedInterrupts(1);
    if (!oldest) return null;
    const { plan } = this.#headBlock();
    const leads = plan?.effectiveActions[0] === 'interrupt';
    return leads ? { requestId: plan.nextRequestId, plan } : { requestId: oldest.request_id, plan: null };
  }

  /** The oldest accepted row, and the plan for the control intents it leads. */
  #headBlock(): { head: RequestRow | null; plan: CoalescePlan | null } {
    const { requests } = this.#parts.journal;
    const [head] = requests.oldestAccepted(0, 1);
    if (!head) return { head: null, plan: null };
    const epoch = head.managed_agent_instance_epoch;
    const block: PendingRow[] = [];
    for (let rows = [head]; ; rows = requests.oldestAccepted(rows.at(-1)?.rowid ?? 0, batchSize)) {
      const pending = rows.map(toPending);
      block.push(...pending);
      // A row that is no part of the block ends it; so does the end of the queue.
      if (rows.length === 0 || blockLength(pending, epoch) < rows.length)
        return { head, plan: planCoalescing(block) };
    }
  }

  async #takeInterrupt(requestId: string, plan: CoalescePlan | null): Promise<boolean> {
    const { journal, bindings, turns } = this.#parts;
    const merged = [requestId, ...(plan?.superseded ?? []).map((row) => row.requestId)];
    const bound = merged.map((id) => bindings.of(id)).filter((id) => id !== null);
    // Interrupts for several turns may have become one: it stops the turn that runs.
    const turnId = bound.find((id) => id === turns.liveTurnId) ?? bound[0] ?? null;
    const started = await journal.write((atUtc) => {
      if (plan) this.#supersede(atUtc, plan);
      return journal.start(atUtc, requestId, 'interrupt');
    });
    for (const id of merged) bindings.forget(id);
    this.#announce(plan);
    if (started) this.#track(requestId, this.#interrupt(requestId, turnId));
    return true;
  }

  async #interrupt(requestId: string, turnId: string | null): Promise<void> {
    const { journal, turns, target, finals } = this.#parts;
    const stopped = turnId === null ? await target.interrupt() : await turns.interrupt(turnId);
    const outcome = (atUtc: string): RequestOutcome =>
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
          };
    // The signals are sent: that gets on disk, however long it takes.
    await journal.writeAtLast(
      (atUtc) => void journal.finish(atUtc, outcome(atUtc)),
      () => undefined,
      this.#stopping.signal,
    );
    finals.reached(requestId);
    this.wake();
  }

  #track(requestId: string, work: Promise<void>): void {
    const tracked = work
      .catch(async (error: Error) => {
        this.#parts.report(`an interrupt met a fault: ${error.message}`);
        await this.#fail(requestId, internalFault(error), null);
      })
      .catch(this.#reportFault)
      .finally(() => this.#interrupts.delete(tracked));
    this.#interrupts.add(tracked);
  }

  /** Starts a prompt. A fault fails this row, lest it keep all others from running (decision 36). */
  async #takePrompt(row: RequestRow, plan: CoalescePlan | null): Promise<boolean> {
    try {
      return await this.#start(row, plan);
    } catch (error) {
      if (isWholeDatabase(error)) throw error;
      this.#parts.report(`request ${row.request_id} met a fault: ${(error as Error).message}`);
      return this.#fail(row.request_id, internalFault(error as Error), null);
    }
  }

  async #start(row: RequestRow, plan: CoalescePlan | null): Promise<boolean> {
    const payload = parseObject(row.payload_json) as Partial<PromptPayload>;
    const order = this.#orderOf(row, payload);
    if ('code' in order) return this.#fail(row.request_id, order, plan);
    const { journal, turns, finals, tool } = this.#parts;
    const begun = await turns.begin(
      {
        ...order,
        origin: row.request_kind === 'mail_notifier_prompt' ? 'notifier' : 'queue',
        requestId: row.request_id,
        tool,
      },
      {
        claimed: (atUtc) => {
          if (plan) this.#supersede(atUtc, plan);
          return journal.start(atUtc, row.request_id, row.request_kind);
        },
        ended: (atUtc, verdict) => this.#finishPrompt(atUtc, row, verdict),
      },
    );
    if (!begun) return false;
    this.#announce(plan);
    begun.over.then(() => {
      finals.reached(order.turnId);
      finals.reached(row.request_id);
    }, this.#reportFault);
    return true;
  }

  /** How this row will run, or why it cannot. */
  #orderOf(
    row: RequestRow,
    payload: Partial<PromptPayload>,
  ): (ResolvedTurn & { turnId: string; prompt: string }) | { code: string; detail: string } {
    const { journal, target, paths } = this.#parts;
    if (row.managed_agent_instance_epoch !== journal.memory.epoch.epoch) {
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
      { override: null },
    );
    return isRefusal(resolved) ? resolved : { ...resolved, turnId, prompt: payload.prompt };
  }

  async #fail(
    requestId: string,
    error: { code: string; detail: string },
    plan: CoalescePlan | null,
  ): Promise<boolean> {
    const { journal, finals } = this.#parts;
    await journal.write((atUtc) => {
      if (plan) this.#supersede(atUtc, plan);
      journal.finish(atUtc, { requestId, state: 'failed', error, result: null });
    });
    this.#announce(plan);
    finals.reached(requestId);
    return true;
  }

  #finishPrompt(atUtc: string, row: RequestRow, verdict: Verdict): void {
    const completed = verdict.outcome === 'completed';
    this.#parts.journal.finish(atUtc, {
      requestId: row.request_id,
      state: completed ? 'completed' : 'failed',
      error: completed ? null : verdict.error,
      result: completed ? { completed_at_utc: atUtc, request_kind: row.request_kind } : null,
    });
  }

  /** Marks the superseded rows; they and the promotion are one transaction (gateway §2.4, §2.5). */
  #supersede(atUtc: string, plan: CoalescePlan): void {
    const { journal } = this.#parts;
    if (plan.superseded.length === 0) return;
    for (const { requestId, intoRequestId, originalAction } of plan.superseded) {
      journal.finish(atUtc, {
        requestId,
        state: 'coalesced',
        error: null,
        result: {
          coalesced_at_utc: atUtc,
          coalesced_into_request_id: intoRequestId,
          coalesced_reason: 'superseded_control_intent',
          effective_actions: plan.effectiveActions,
          original_action: originalAction,
        },
      });
    }
    journal.event(atUtc, {
      kind: 'coalesced',
      subjectId: plan.nextRequestId,
      data: {
        coalesced_at_utc: atUtc,
        coalesced_request_ids: plan.superseded.map(({ requestId }) => requestId),
        effective_request_ids: plan.effectiveRequestIds,
        effective_actions: plan.effectiveActions,
        next_request_id: plan.nextRequestId,
      },
    });
  }

  #announce(plan: CoalescePlan | null): void {
    for (const { requestId } of plan?.superseded ?? []) this.#parts.finals.reached(requestId);
  }

  #reportFault = (error: unknown): void => {
    this.#parts.report(`a turn met a fault: ${(error as Error).message}`);
  };
}

const internalFault = (error: Error) => ({
  code: 'internal_fault',
  detail: `The gateway met a fault: ${error.message}`,
});

function toPending(row: RequestRow): PendingRow {
  const prompt = row.request_kind === 'submit_prompt' ? parseObject(row.payload_json).prompt : null;
  return {
    requestId: row.request_id,
    kind: row.request_kind,
    prompt: typeof prompt === 'string' ? prompt : null,
    epoch: row.managed_agent_instance_epoch,
  };
}
