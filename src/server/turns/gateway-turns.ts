import { errorCodeHeader } from '../../contract/refusals.js';
import { type ManagedAgent, spokenName } from '../directory/managed-agent.js';
import type { ForwardResult, GatewayForwarder } from '../forwarding/forwarder.js';
import type { GatewayAnswer } from '../forwarding/gateway-calls.js';
import type { InterruptAim, InterruptResult } from './interrupts.js';
import type { HeadlessFacts } from './prompt-plan.js';
import { type AgentPrompt, queuedPayload, type SubmissionNames } from './submissions.js';
import { outcomeUnknown, refuse, type TurnRefusal } from './turn-refusal.js';

/** A prompt in a gateway's queue. */
export interface QueuedPrompt {
  readonly queuedAs: string;
  readonly replayed: boolean;
}

export interface GatewayInterrupt extends InterruptAim {
  /** The running turn; null for other work of a terminal. */
  readonly turnId: string | null;
  /** False where the work may only wait in the queue: an interrupt then reaches nothing, and the waiting work runs later. */
  readonly running: boolean;
}

/** The wait for an interrupt that may meet nothing; a gateway reports that sooner. */
const interruptSeconds = 2;

/** Prompts and interrupts through the live gateway of an agent. */
export class GatewayTurns {
  readonly #forwarder: Pick<GatewayForwarder, 'forward'>;

  constructor(passing: Pick<GatewayForwarder, 'forward'>) {
    this.#forwarder = passing;
  }

  /** Returns null where no gateway lives. */
  async headlessFacts(agent: ManagedAgent): Promise<HeadlessFacts | TurnRefusal | null> {
    const passed = await this.#forwarder.forward(agent, 'getHeadlessState', {});
    if (passed.kind === 'no_gateway' || passed.kind === 'no_session_root') return null;
    if (passed.kind === 'failed') return silent(agent, passed.fault);
    if (passed.answer.kind === 'refused') return refused(passed.answer);
    const state = passed.answer.body;
    return {
      admission: state.request_admission,
      running: state.active_execution === 'running',
      activeTurnId: state.active_turn_id,
      resumable: state.runtime_resumable,
      sessionLive: state.tmux_session_live,
      current: state.chat_session.current?.id ?? null,
    };
  }

  /** Returns null where no gateway lives. */
  async prompt(
    agent: ManagedAgent,
    prompt: AgentPrompt,
    { turnId }: SubmissionNames,
  ): Promise<QueuedPrompt | TurnRefusal | null> {
    const passed = await this.#forwarder.forward(agent, 'submitRequest', {
      body: { schema_version: 1, kind: 'submit_prompt', payload: queuedPayload(prompt, turnId) },
      headers: { 'Idempotency-Key': prompt.key ?? undefined },
    });
    if (passed.kind === 'no_gateway' || passed.kind === 'no_session_root') return null;
    if (passed.kind === 'failed') return lost(agent, passed, turnId);
    if (passed.answer.kind === 'refused') return notDone(passed.answer, turnId);
    const replayed = passed.answer.headers['idempotency-replayed'] === 'true';
    return { queuedAs: passed.answer.body.request_id, replayed };
  }

  /**
   * Sends an interrupt, which a gateway takes beside its queue: it never waits behind the work that it is to stop.
   * Returns null where no gateway lives.
   */
  async interrupt(
    agent: ManagedAgent,
    { turnId, running, key, ifTurn }: GatewayInterrupt,
  ): Promise<InterruptResult | null> {
    const passed = await this.#forwarder.forward(agent, 'submitRequest', {
      body: { schema_version: 1, kind: 'interrupt', payload: {} },
      headers: { 'Idempotency-Key': key ?? undefined, 'X-Houmao-If-Turn': ifTurn ?? undefined },
    });
    if (passed.kind === 'no_gateway' || passed.kind === 'no_session_root') return null;
    if (passed.kind === 'failed') return lost(agent, passed, turnId);
    if (passed.answer.kind === 'refused') return notDone(passed.answer, turnId);
    if (!running && (await this.#metNothing(agent, passed.answer.body.request_id))) return { met: 'nothing' };
    return { met: 'work', turnId: ifTurn ?? turnId, turnIndex: null, over: false };
  }

  async #metNothing(agent: ManagedAgent, requestId: string): Promise<boolean> {
    const passed = await this.#forwarder.forward(agent, 'getRequest', {
      path: { request_id: requestId },
      query: { wait_seconds: interruptSeconds },
    });
    const record = passed.kind === 'answered' && passed.answer.kind === 'done' ? passed.answer.body : null;
    return record?.result?.outcome === 'no_op';
  }

  /** Returns whether the terminal certainly does nothing; null where no gateway lives. */
  async terminalRests(agent: ManagedAgent): Promise<boolean | TurnRefusal | null> {
    const passed = await this.#forwarder.forward(agent, 'getTuiState', {});
    if (passed.kind === 'no_gateway' || passed.kind === 'no_session_root') return null;
    if (passed.kind === 'failed') return silent(agent, passed.fault);
    // A gateway that does not track this terminal knows nothing of it.
    return passed.answer.kind === 'done' && passed.answer.body.turn.phase === 'ready';
  }

  /** Resolves when the turn has ended, or the wait has; with false where no gateway could be asked. */
  async ended(agent: ManagedAgent, turnId: string, seconds: number, signal: AbortSignal): Promise<boolean> {
    const passed = await this.#forwarder.forward(agent, 'getTurn', {
      path: { turn_id: turnId },
      query: { wait_seconds: seconds },
      signal,
    });
    return passed.kind === 'answered' && passed.answer.kind === 'done';
  }
}

type Failed = Extract<ForwardResult, { kind: 'failed' }>;

const silence = (agent: ManagedAgent, { trouble }: Failed['fault']): string =>
  `The gateway of agent \`${spokenName(agent)}\` gave no usable answer (${trouble})`;

const silent = (agent: ManagedAgent, fault: Failed['fault']): TurnRefusal =>
  refuse('unavailable', `${silence(agent, fault)}.`);

/**
 * Returns the same for a call that was to change something.
 * @param turnId the turn to look up; null where there is none
 */
function lost(agent: ManagedAgent, { fault }: Failed, turnId: string | null): TurnRefusal {
  if (!fault.outcomeUnknown) return silent(agent, fault);
  const unknown = `${silence(agent, fault)}; whether it took this is not known`;
  return outcomeUnknown(turnId === null ? `${unknown}.` : `${unknown}: look up turn ${turnId}.`, turnId);
}

type Refused = Pick<Extract<GatewayAnswer, { kind: 'refused' }>, 'status' | 'headers' | 'detail'>;

/**
 * Returns the refusal of a call that was to change something: after an internal fault of the gateway the outcome is
 * unknown.
 */
const notDone = (answer: Refused, turnId: string | null): TurnRefusal =>
  answer.status === 500 ? outcomeUnknown(wordsOf(answer), turnId) : refused(answer);

const wordsOf = ({ detail }: Refused): string =>
  typeof detail === 'string' ? detail : JSON.stringify(detail);

/**
 * Converts a refusal: with the gateway's own status and code as far as this API has them, and with its own words in any
 * case.
 */
export function refused(answer: Refused): TurnRefusal {
  const { status } = answer;
  const words = wordsOf(answer);
  if (status === 409) return refuse('busy', words);
  if (status === 412) return refuse('other_turn', words);
  if (answer.headers[errorCodeHeader.toLowerCase()] === 'key_reused') return refuse('key_reused', words);
  return refuse(status === 422 ? 'invalid' : 'unavailable', words);
}
