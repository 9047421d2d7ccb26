import type { components } from '../../../generated/gateway/types.js';
import { noPinnedConversation } from '../../agent/target/chat-session.js';
import { metadataHeader, metadataText } from '../../contract/prompt-metadata.js';
import { errorCodeHeader } from '../../contract/refusals.js';
import { isHeldBack, replaced } from '../../dispatch/readiness.js';
import { spokenName } from '../directory/agent-directory.js';
import type { ManagedAgent } from '../directory/managed-agents.js';
import type { ForwardResult, GatewayForwarder } from '../forwarding/forwarder.js';
import type {
  GatewayAnswer,
  GatewayBody,
  GatewayOperation,
  GatewayQuestion,
} from '../forwarding/gateway-calls.js';
import {
  activeTurn,
  type InterruptAim,
  type InterruptResult,
  isOpen,
  isRefused,
  outcomeUnknown,
  queuedPayload,
  queuesBehindIt,
  refuse,
  type SubmissionNames,
  type SubmittedPrompt,
  type TurnRefusal,
} from './submissions.js';

/** A prompt in a gateway's queue. */
export interface QueuedPrompt {
  readonly queuedAs: string;
  readonly replayed: boolean;
  /** The number of its turn; null where the turn has not begun, or the gateway does not give it. */
  readonly turnIndex: number | null;
}

/** The longest wait for the beginning of a turn: the gateway had nothing else to do when it got the prompt. */
const beginSeconds = 5;
/** The wait for an interrupt that may meet nothing; a gateway reports that sooner. */
const interruptSeconds = 2;

/** Prompts and interrupts through the live gateway of an agent. Where no gateway lives the answer is null, and `begun` and `ended` are false. */
export class GatewayTurns {
  readonly #forwarder: Pick<GatewayForwarder, 'forward'>;

  constructor(forwarder: Pick<GatewayForwarder, 'forward'>) {
    this.#forwarder = forwarder;
  }

  /** Queues a prompt; for a headless agent only where nothing else runs, and until its turn has begun. */
  async prompt(
    agent: ManagedAgent,
    prompt: SubmittedPrompt,
    { turnId }: SubmissionNames,
  ): Promise<QueuedPrompt | TurnRefusal | null> {
    if (agent.transport === 'tui') {
      if (prompt.execution !== null) return noExecution(spokenName(agent));
    } else {
      const state = await this.#read(agent, 'getHeadlessState', {});
      if (state === null || isRefused(state)) return state;
      const obstacle = headlessObstacle(spokenName(agent), state, prompt.chatSession?.mode === 'current');
      if (obstacle) return obstacle;
    }
    const question = {
      body: { schema_version: 1, kind: 'submit_prompt', payload: queuedPayload(prompt, turnId) },
      headers: {
        'Idempotency-Key': prompt.key ?? undefined,
        [metadataHeader]: metadataText(prompt.metadata),
      },
    };
    const queued = await this.#submit(agent, question, turnId);
    if (queued === null || isRefused(queued)) return queued;
    const { request_id: queuedAs } = queued.body;
    const replayed = queued.headers['idempotency-replayed'] === 'true';
    const turnIndex = agent.transport === 'tui' ? null : await this.#indexOnceBegun(agent, queuedAs);
    return { queuedAs, replayed, turnIndex };
  }

  /**
   * Sends an interrupt, which a gateway takes beside its queue: it never waits behind the work that it is to stop. With a
   * key or an aim the gateway alone decides whether there is something to stop, and keeps its answer.
   */
  async interrupt(agent: ManagedAgent, aim: InterruptAim): Promise<InterruptResult | null> {
    // If the answer of the gateway is lost, the caller is shown this turn as the one to look up.
    const work = await this.#work(agent);
    if (work === null || isRefused(work)) return work;
    if (work.rests && isOpen(aim)) return { met: 'nothing' };
    const { key, ifTurn } = aim;
    const question = {
      body: { schema_version: 1, kind: 'interrupt', payload: {} },
      headers: { 'Idempotency-Key': key ?? undefined, 'X-Houmao-If-Turn': ifTurn ?? undefined },
    };
    const accepted = await this.#submit(agent, question, ifTurn ?? work.turnId);
    if (accepted === null || isRefused(accepted)) return accepted;
    const { request_id: requestId, turn_id: stopped } = accepted.body;
    // An older gateway does not say which turn it stops.
    const turnId = ifTurn ?? (stopped === undefined ? work.turnId : stopped);
    const mayBeNothing = turnId === null && !work.unnamed;
    if (mayBeNothing && (await this.#metNothing(agent, requestId))) return { met: 'nothing' };
    return { met: 'work', turnId, turnIndex: null, over: false };
  }

  /**
   * Resolves with true when the request waits no longer, or the wait has ended; with false where no gateway could be
   * asked to wait.
   */
  async begun(
    agent: ManagedAgent,
    requestId: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    return (await this.#request(agent, requestId, { seconds, until: 'started', signal })) !== null;
  }

  /** Resolves when the turn has ended, or the wait has; with false where no gateway could be asked. */
  async ended(agent: ManagedAgent, turnId: string, seconds: number, signal: AbortSignal): Promise<boolean> {
    const result = await this.#forwarder.forward(agent, 'getTurn', {
      path: { turn_id: turnId },
      query: { wait_seconds: seconds },
      signal,
    });
    return result.kind === 'answered' && result.answer.kind === 'done';
  }

  /** Returns what the agent does now, as its gateway knows it. It is read before the interrupt is sent. */
  async #work(agent: ManagedAgent): Promise<AgentWork | TurnRefusal | null> {
    if (agent.transport === 'headless') {
      const state = await this.#read(agent, 'getHeadlessState', {});
      if (state === null || isRefused(state)) return state;
      return { rests: state.active_execution === 'idle', turnId: state.active_turn_id, unnamed: false };
    }
    const status = await this.#read(agent, 'getStatus', {});
    if (status === null || isRefused(status)) return status;
    if (status.active_execution === 'running') return someWork;
    const result = await this.#forwarder.forward(agent, 'getTuiState', {});
    if (result.kind === 'failed') return silent(agent, result.fault);
    // A gateway that does not track this terminal refuses, and knows nothing of it.
    const state = result.kind === 'answered' && result.answer.kind === 'done' ? result.answer.body : null;
    const rests = state?.turn.phase === 'ready';
    return { rests, turnId: null, unnamed: !rests };
  }

  /** Returns the number of the turn of a request once it has begun; null where it does not begin for now. */
  async #indexOnceBegun(agent: ManagedAgent, requestId: string): Promise<number | null> {
    const queued = await this.#request(agent, requestId, { seconds: 0 });
    const waits = queued?.state === 'accepted' && !isHeldBack(queued.waiting_reason);
    const begun = waits
      ? await this.#request(agent, requestId, { seconds: beginSeconds, until: 'started' })
      : queued;
    return begun?.turn?.turn_index ?? null;
  }

  async #metNothing(agent: ManagedAgent, requestId: string): Promise<boolean> {
    const record = await this.#request(agent, requestId, { seconds: interruptSeconds });
    return record?.result?.outcome === 'no_op';
  }

  /** Returns a request as it is at the end of the wait; null where it could not be asked. */
  async #request(
    agent: ManagedAgent,
    requestId: string,
    { seconds, until, signal }: { seconds: number; until?: 'started'; signal?: AbortSignal },
  ): Promise<RequestRecord | null> {
    const result = await this.#forwarder.forward(agent, 'getRequest', {
      path: { request_id: requestId },
      query: { wait_seconds: seconds, wait_until: until },
      ...(signal && { signal }),
    });
    return result.kind === 'answered' && result.answer.kind === 'done' ? result.answer.body : null;
  }

  /** Asks for something that changes nothing. */
  async #read<Id extends GatewayOperation>(
    agent: ManagedAgent,
    operation: Id,
    question: GatewayQuestion,
  ): Promise<GatewayBody<Id> | TurnRefusal | null> {
    const result = await this.#forwarder.forward(agent, operation, question);
    if (result.kind === 'no_gateway' || result.kind === 'no_session_root') return null;
    if (result.kind === 'failed') return silent(agent, result.fault);
    return result.answer.kind === 'refused' ? refused(result.answer) : result.answer.body;
  }

  /** @param turnId the turn that shows an unknown outcome; null where there is none. */
  async #submit(
    agent: ManagedAgent,
    question: GatewayQuestion,
    turnId: string | null,
  ): Promise<Extract<GatewayAnswer<GatewayBody<'submitRequest'>>, { kind: 'done' }> | TurnRefusal | null> {
    const result = await this.#forwarder.forward(agent, 'submitRequest', question);
    if (result.kind === 'no_gateway' || result.kind === 'no_session_root') return null;
    if (result.kind === 'failed') return lost(agent, result, turnId);
    const { answer } = result;
    if (answer.kind === 'done') return answer;
    // After an internal fault of the gateway the outcome is unknown.
    return answer.status === 500 ? outcomeUnknown(wordsOf(answer), turnId) : refused(answer);
  }
}

interface AgentWork {
  /** Whether the agent certainly does nothing. */
  readonly rests: boolean;
  /** The turn that runs, where it is known. */
  readonly turnId: string | null;
  /** Whether a terminal is at work, and with no turn of its gateway. */
  readonly unnamed: boolean;
}

const someWork: AgentWork = { rests: false, turnId: null, unnamed: false };

type HeadlessState = components['schemas']['HeadlessState'];
type RequestRecord = components['schemas']['RequestRecord'];

/** The parts of a gateway's report of a headless agent that decide about a prompt. */
export interface HeadlessFacts
  extends Pick<
    HeadlessState,
    'request_admission' | 'active_execution' | 'active_turn_id' | 'runtime_resumable' | 'tmux_session_live'
  > {
  readonly chat_session: Pick<HeadlessState['chat_session'], 'current'>;
}

/**
 * Decides why a prompt does not go into the queue of a gateway now; null when it does. Pure.
 * @param wantsCurrent whether the prompt is for the conversation that is pinned.
 */
export function headlessObstacle(
  name: string,
  state: HeadlessFacts,
  wantsCurrent: boolean,
): TurnRefusal | null {
  const { request_admission: admission, active_turn_id: turnId } = state;
  if (admission === 'blocked_reconciliation') return refuse('busy', replaced);
  if (state.active_execution === 'running' || turnId !== null)
    return activeTurn(name, turnId, queuesBehindIt);
  if (!state.runtime_resumable || !state.tmux_session_live || admission !== 'open')
    return refuse('unavailable', `Agent \`${name}\` is unavailable: its gateway cannot reach it.`);
  return wantsCurrent && state.chat_session.current === null ? noConversation : null;
}

const noExecution = (name: string): TurnRefusal =>
  refuse('invalid', `Agent \`${name}\` runs in a terminal, which takes no \`execution\`.`);

const noConversation = refuse('busy', noPinnedConversation);

type Failed = Extract<ForwardResult, { kind: 'failed' }>;

const silence = (agent: ManagedAgent, { trouble }: Failed['fault']): string =>
  `The gateway of agent \`${spokenName(agent)}\` gave no usable answer (${trouble})`;

const silent = (agent: ManagedAgent, fault: Failed['fault']): TurnRefusal =>
  refuse('unavailable', `${silence(agent, fault)}.`);

/** Returns the refusal for a call that changes something: where its outcome is unknown, the refusal says so. */
function lost(agent: ManagedAgent, { fault }: Failed, turnId: string | null): TurnRefusal {
  if (!fault.outcomeUnknown) return silent(agent, fault);
  const unknown = `${silence(agent, fault)}; whether it took this is not known`;
  return outcomeUnknown(turnId === null ? `${unknown}.` : `${unknown}: look up turn ${turnId}.`, turnId);
}

type Refused = Pick<Extract<GatewayAnswer, { kind: 'refused' }>, 'status' | 'headers' | 'detail'>;

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
