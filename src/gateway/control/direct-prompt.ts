import type { components } from '../../../generated/gateway/types.js';
import { newTurnId } from '../../foundation/ids.js';
import { isRefusal, type PromptOptions, type ResolvedTurn } from '../../target/agent-target.js';
import type { Reservation } from '../../turn/execution-slot.js';
import type { Verdict } from '../../turn/verdict.js';
import type { DispatchParts } from '../dispatch-parts.js';
import type { GatewayStatus } from '../status/derive-status.js';
import type { StatusBoard } from '../status/status-board.js';
import type { TurnCompanion } from '../turns/turn-service.js';
import type { SessionOverride } from './session-override.js';

type ErrorCode = components['schemas']['PromptRefusal']['error_code'];
type PromptControl = components['schemas']['PromptControl'];

export type PromptStatus = 409 | 422 | 501 | 503;
export interface PromptRefusal {
  code: ErrorCode;
  detail: string;
}

/** The HTTP status of each refusal (gateway §5.1, decision 59). */
export const statusOf: Readonly<Record<ErrorCode, PromptStatus>> = {
  unsupported_backend: 501,
  blocked_reconciliation: 409,
  unavailable: 503,
  invalid_chat_session: 422,
  invalid_execution: 422,
  not_ready: 409,
  missing_current_chat_session: 409,
  dispatch_failed: 422,
};

/** A process of ours has this long to start before the answer goes out without waiting for it. */
const startMilliseconds = 3000;
/** Another server has this long to say that it took the prompt. */
const wordMilliseconds = 20_000;

/** Steps 3, 4 and 7 of gateway §5.1: what the status says against sending now. */
export function statusRefusal(
  status: GatewayStatus,
  board: Pick<StatusBoard, 'unavailableDetail' | 'storageFault'>,
): PromptRefusal | null {
  if (status.managed_agent_recovery === 'reconciliation_required') {
    return {
      code: 'blocked_reconciliation',
      detail: 'The agent was replaced; settle its queued work with POST /v1/control/reconcile first.',
    };
  }
  if (board.storageFault !== null || status.managed_agent_connectivity !== 'connected')
    return { code: 'unavailable', detail: board.unavailableDetail ?? 'The managed agent is unavailable.' };
  return null;
}

/** Steps 7 and 8 of gateway §5.1: what a forced prompt does not care about. */
export function busyRefusal(
  status: Pick<GatewayStatus, 'active_execution' | 'queue_depth' | 'terminal_surface_eligibility'>,
): PromptRefusal | null {
  const reasons = [
    ...(status.active_execution === 'idle' ? [] : [`active_execution='${status.active_execution}'`]),
    ...(status.queue_depth === 0 ? [] : [`queue_depth=${status.queue_depth}`]),
    ...(status.terminal_surface_eligibility === 'not_ready'
      ? ["terminal_surface_eligibility='not_ready'"]
      : []),
  ];
  return reasons.length === 0
    ? null
    : {
        code: 'not_ready',
        detail: `Gateway prompt rejected because the agent is busy (${reasons.join(', ')}).`,
      };
}

export interface DirectPromptParts extends DispatchParts {
  override: SessionOverride;
}

/** Sends a prompt now or refuses it now (gateway §5). */
export class DirectPrompts {
  readonly #parts: DirectPromptParts;

  constructor(parts: DirectPromptParts) {
    this.#parts = parts;
  }

  async send(prompt: PromptControl): Promise<{ turnId: string } | PromptRefusal> {
    const { board, slot, target, override } = this.#parts;
    const options: PromptOptions = {
      chatSession: prompt.chat_session ?? null,
      execution: prompt.execution ?? null,
    };
    const status = await board.current();
    const refused =
      statusRefusal(status, board) ??
      target.check(options, 'direct') ??
      // Asked again after the probe: from here to the claim nothing waits, so nobody slips in between.
      (prompt.force ? null : busyRefusal(board.snapshot()));
    if (refused) return refused;
    const resolved = target.resolve(options, { override: override.pending });
    if (isRefusal(resolved)) return resolved;
    if (!prompt.force) return this.#begin(prompt, options, resolved);
    const reservation = slot.tryReserve();
    if (!reservation) return { code: 'not_ready', detail: 'Another forced prompt is being dispatched.' };
    return this.#replace(prompt, options, reservation);
  }

  /** Ends what runs, then starts. The conversation is resolved after the old turn has pinned its own. */
  async #replace(
    prompt: PromptControl,
    options: PromptOptions,
    reservation: Reservation,
  ): Promise<{ turnId: string } | PromptRefusal> {
    await this.#parts.turns.replaceLive();
    const resolved = this.#parts.target.resolve(options, { override: this.#parts.override.pending });
    if (!isRefusal(resolved)) return this.#begin(prompt, options, resolved, reservation);
    reservation.cancel();
    return resolved;
  }

  async #begin(
    prompt: PromptControl,
    options: PromptOptions,
    resolved: ResolvedTurn,
    reservation?: Reservation,
  ): Promise<{ turnId: string } | PromptRefusal> {
    const { turns, target, tool, override, finals, clock } = this.#parts;
    const turnId = newTurnId();
    const order = {
      ...resolved,
      turnId,
      prompt: prompt.prompt,
      origin: 'direct' as const,
      requestId: null,
      tool,
    };
    const begun = await turns.begin(order, this.#companion(turnId, prompt.force), reservation);
    if (!begun)
      return { code: 'not_ready', detail: 'Gateway prompt rejected because the agent has just become busy.' };
    const takesOverride = (options.chatSession?.mode ?? 'auto') === 'auto';
    if (takesOverride && !target.remote) override.consume();
    begun.over.then(() => finals.reached(turnId)).catch(() => undefined);
    const answered = new AbortController();
    const patience = clock
      .sleep(target.remote ? wordMilliseconds : startMilliseconds, answered.signal)
      .then(() => 'unknown' as const);
    const reached = await Promise.race([begun.handedOver, patience]);
    answered.abort();
    if (reached === true && takesOverride && target.remote) override.consume();
    if (reached === true || (reached === 'unknown' && !target.remote)) return { turnId };
    if (reached === 'unknown') return this.#withdraw(turnId);
    const { error } = await begun.over;
    return { code: 'dispatch_failed', detail: error?.detail ?? 'The agent ended before it had the prompt.' };
  }

  /** Without the server's word nothing was sent as far as anyone knows; so that it does not happen later, it is stopped. */
  async #withdraw(turnId: string): Promise<PromptRefusal> {
    const { outcome } = await this.#parts.turns.interrupt(turnId);
    const end = outcome === 'failed' ? 'could not be stopped either' : 'was stopped';
    return {
      code: 'dispatch_failed',
      detail: `The server that runs the agent did not say that it took the prompt; turn ${turnId} ${end}.`,
    };
  }

  /** The events of a direct prompt (gateway §3.2, decision 37). */
  #companion(turnId: string, forced: boolean): TurnCompanion {
    const { journal } = this.#parts;
    return {
      claimed: (atUtc) => {
        journal.event(atUtc, {
          kind: 'control_prompt_submitted',
          subjectId: turnId,
          data: { forced, submitted_at_utc: atUtc, turn_id: turnId },
        });
        return true;
      },
      ended: (atUtc, verdict) => journal.event(atUtc, endEvent(turnId, atUtc, verdict)),
    };
  }
}

function endEvent(turnId: string, atUtc: string, verdict: Verdict) {
  return verdict.outcome === 'completed'
    ? {
        kind: 'control_prompt_completed',
        subjectId: turnId,
        data: { turn_id: turnId, finished_at_utc: atUtc },
      }
    : {
        kind: 'control_prompt_failed',
        subjectId: turnId,
        data: {
          turn_id: turnId,
          error_detail: verdict.error?.detail ?? verdict.outcome,
          outcome: verdict.outcome,
          finished_at_utc: atUtc,
        },
      };
}
