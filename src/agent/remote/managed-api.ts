import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { explainProviderError, type RecordError } from '../../run/record-error.js';
import type { TurnSigns } from '../../run/running-turn.js';
import type { PromptSettings } from '../target/agent-target.js';
import type { ManagedAuthority } from './peer-authority.js';
import { askPeer, askPeerText, PeerFault } from './peer-client.js';

const MaybeText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** The used part of the agent's detail; the older implementation defines the shapes in this file. */
const Detail = Type.Object({
  tracked_agent_id: Type.String({ minLength: 1 }),
  summary_state: Type.Object({ availability: Type.String() }),
  detail: Type.Object({
    transport: Type.Literal('headless'),
    can_accept_prompt_now: Type.Boolean(),
    turn: Type.Object({ phase: Type.String(), active_turn_id: MaybeText }),
  }),
});
export type ManagedDetail = Static<typeof Detail>;

/** The server's record of one turn. */
const Turn = Type.Object({
  status: Type.Union(
    (['active', 'completed', 'failed', 'interrupted', 'unknown'] as const).map((status) =>
      Type.Literal(status),
    ),
  ),
  returncode: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  error: MaybeText,
});
export type ManagedTurn = Static<typeof Turn>;

const Health = Type.Object({ houmao_service: MaybeText });
const Success = Type.Object({ success: Type.Literal(true) });
/** The server's answer to a request: a prompt or an interrupt. */
const Accepted = Type.Object({
  success: Type.Literal(true),
  disposition: Type.Union([Type.Literal('accepted'), Type.Literal('no_op')]),
  headless_turn_id: MaybeText,
});

const readMilliseconds = 5000;
const actMilliseconds = 15_000;

/** The managed-agent API of the server that runs a headless agent. Every method throws {@link PeerFault} and nothing else. */
export class ManagedApi {
  readonly #base: string;
  readonly #agent: string;

  constructor(authority: ManagedAuthority) {
    this.#base = authority.baseUrl;
    this.#agent = `/houmao/agents/${encodeURIComponent(authority.agentRef)}`;
  }

  /**
   * Decides whether this server takes a prompt together with our turn id and answers when the turn has ended. Our own server
   * does, and `houmao-passive-server`, which names itself in `/health`.
   */
  async runsWholeTurns(): Promise<boolean> {
    const health = await this.#find('/health', Health);
    return health?.houmao_service === 'houmao-passive-server' || (await this.#ownDetail()) !== null;
  }

  async detail(): Promise<ManagedDetail> {
    return (await this.#ownDetail()) ?? (await this.#get(`${this.#agent}/state/detail`, Detail));
  }

  /**
   * Returns the description of an agent that our server gives without asking the agent's gateway, which is the caller here; null
   * from any other server.
   */
  #ownDetail(): Promise<ManagedDetail | null> {
    return this.#find(`${this.#agent}/gateway/internal/headless-detail`, Detail);
  }

  /** Returns the record of a turn; null if the server has none. */
  turn(turnId: string): Promise<ManagedTurn | null> {
    return this.#find(`${this.#agent}/turns/${encodeURIComponent(turnId)}`, Turn);
  }

  /** Returns the standard output of the agent. */
  stdoutOf(turnId: string): Promise<string> {
    const path = `${this.#agent}/turns/${encodeURIComponent(turnId)}/artifacts/stdout`;
    return askPeerText({ base: this.#base, method: 'GET', path, timeoutMs: actMilliseconds });
  }

  /** Runs a whole turn; resolves when it has ended, however long that takes. */
  async runTurn(turnId: string, prompt: string, options: PromptSettings, signal: AbortSignal): Promise<void> {
    const body = { prompt, turn_id: turnId, ...chatSessionPart(options), ...executionPart(options) };
    const path = `${this.#agent}/gateway/internal/headless-prompt`;
    await askPeer({ base: this.#base, method: 'POST', path, body, timeoutMs: null, signal }, Success);
  }

  /** Submits a prompt. @returns the server's name for the turn; null when it gives none. */
  async submit(prompt: string, options: PromptSettings): Promise<string | null> {
    const body = { request_kind: 'submit_prompt', prompt, ...executionPart(options) };
    const { disposition, headless_turn_id } = await this.#request(body, actMilliseconds);
    if (disposition === 'no_op')
      throw new PeerFault('invalid_answer', 'The server answered no_op to a prompt.');
    return headless_turn_id ?? null;
  }

  /** @returns whether there was a turn to stop. */
  async interrupt(): Promise<boolean> {
    return (await this.#request({ request_kind: 'interrupt' }, readMilliseconds)).disposition === 'accepted';
  }

  #request(body: object, timeoutMs: number): Promise<Static<typeof Accepted>> {
    const path = `${this.#agent}/requests`;
    return askPeer({ base: this.#base, method: 'POST', path, body, timeoutMs }, Accepted);
  }

  /** Returns null after a 404, and after no other refusal. */
  async #find<S extends TSchema>(path: string, schema: S): Promise<Static<S> | null> {
    try {
      return await this.#get(path, schema);
    } catch (error) {
      if (error instanceof PeerFault && error.status === 404) return null;
      throw error;
    }
  }

  #get<S extends TSchema>(path: string, schema: S): Promise<Static<S>> {
    return askPeer({ base: this.#base, method: 'GET', path, timeoutMs: readMilliseconds }, schema);
  }
}

/**
 * Builds the part of a request for the conversation. The server's shapes have no nulls, so a setting that was not requested is
 * left out (docs/decisions.md#agents-on-other-servers).
 */
const chatSessionPart = ({ chatSession }: PromptSettings): object =>
  chatSession
    ? { chat_session: { mode: chatSession.mode, ...(chatSession.id ? { id: chatSession.id } : {}) } }
    : {};

function executionPart({ execution }: PromptSettings): object {
  if (!execution) return {};
  const { name, reasoning } = execution.model;
  return { execution: { model: { ...(name ? { name } : {}), ...(reasoning ? { reasoning } : {}) } } };
}

/** Translates the server's verdict. */
export function outcomeOf(record: ManagedTurn): NonNullable<TurnSigns['reportedOutcome']> {
  switch (record.status) {
    case 'completed':
      return { outcome: 'completed', error: null };
    case 'interrupted':
      return {
        outcome: 'interrupted',
        error: { code: 'interrupted', detail: 'The server ended the turn as interrupted.' },
      };
    case 'failed':
      return { outcome: 'failed', error: failureOf(record) };
    default:
      return {
        outcome: 'failed',
        error: { code: 'no_result', detail: 'The server does not know how the turn ended.' },
      };
  }
}

function failureOf({ error, returncode }: ManagedTurn): RecordError {
  const words = error ?? '';
  const explained = explainProviderError(words);
  if (explained) return { code: 'api_error', detail: explained };
  const code = returncode === null || returncode === undefined ? '' : ` with code ${returncode}`;
  return { code: 'agent_failed', detail: `The agent of the server failed${code}. ${words}`.trim() };
}
