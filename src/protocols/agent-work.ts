import { type GatewayError, isGatewayError } from '@houmao/sdk';
import {
  type Agent,
  type AgentGateway,
  type HoumaoClient,
  type HoumaoError,
  isHoumaoError,
  type RequestHandle,
  type Schemas,
  type TurnHandle,
} from '@houmao/sdk/managed-agent';

// The work of an agent as a server knows it, whichever way it goes: through the queue of its gateway, or straight to the agent.

/** A failed call of a gateway or of a server. */
export type AnyCallError = GatewayError | HoumaoError;

export const isCallError = (error: unknown): error is AnyCallError =>
  isGatewayError(error) || isHoumaoError(error);

/**
 * Returns the client of the agent's gateway; null when none is attached. One that is attached and gives no answer is not
 * bypassed.
 * @throws {HoumaoError} when the server gives no answer.
 */
export async function attachedGateway(
  { gateway }: Pick<Agent, 'gateway'>,
  signal?: AbortSignal,
): Promise<AgentGateway | null> {
  try {
    const { gateway_health } = await gateway.getStatus({ signal });
    return gateway_health === 'not_attached' ? null : gateway;
  } catch (error) {
    if (!isHoumaoError(error) || error.status === null) throw error;
    return error.errorCode === 'no_session_root' ? null : gateway;
  }
}

/** Returns the name under which people know an agent: `alpha` for `HOUMAO-alpha`; its id where it has none. */
export const shownName = ({
  agent_name,
  tracked_agent_id,
}: Pick<Schemas['AgentIdentity'], 'agent_name' | 'tracked_agent_id'>): string =>
  agent_name?.replace(/^HOUMAO-(?=.)/, '') ?? tracked_agent_id;

/** The server, and the signal that ends the waiting, never the agent's work. */
export interface WorkCall {
  readonly client: HoumaoClient;
  readonly signal: AbortSignal;
}

/** The names of an agent's work: a request in the queue of its gateway, or a turn. */
export interface WorkName {
  readonly agent: string;
  readonly request_id?: string | undefined;
  readonly turn_id?: string | undefined;
}

/** Work of an agent, which goes on whether or not a caller waits for it. */
export type AgentWork = { readonly name: WorkName } & (
  | { readonly kind: 'request'; readonly handle: RequestHandle }
  | { readonly kind: 'turn'; readonly handle: TurnHandle }
);

/** Returns work by its name: its request if that is named, else its turn. Makes no call. */
export function namedWork(client: HoumaoClient, { agent, request_id, turn_id = '' }: WorkName): AgentWork {
  const known = client.agent(agent);
  return request_id === undefined
    ? { kind: 'turn', name: { agent, turn_id }, handle: known.turn(turn_id) }
    : { kind: 'request', name: { agent, request_id }, handle: known.gateway.request(request_id) };
}

/** Queues a prompt at the gateway of an agent; an agent without one is prompted at once, or refuses. @throws {HoumaoError} */
export async function submitPrompt(
  given: { agent: string; text: string; idempotency_key?: string | undefined },
  { client, signal }: WorkCall,
): Promise<AgentWork> {
  const { agent: ref, text, idempotency_key: idempotencyKey } = given;
  const agent = client.agent(ref);
  const options = { idempotencyKey, signal };
  const gateway = await attachedGateway(agent, signal);
  if (gateway === null) {
    const handle = await agent.submit(text, options);
    return { kind: 'turn', name: { agent: ref, turn_id: handle.turnId }, handle };
  }
  const handle = await gateway.submit(text, options);
  return { kind: 'request', name: { agent: ref, request_id: handle.requestId }, handle };
}

/** Work as it is now: its turn, its request, or both. A request has no turn while it waits, and when it never began. */
export type SeenWork =
  | { readonly turn: Schemas['TurnRecord']; readonly request: Schemas['RequestRecord'] | null }
  | { readonly turn: null; readonly request: Schemas['RequestRecord'] };

/** Reads work. @throws {HoumaoError} */
export async function seeWork(
  { kind, handle }: AgentWork,
  { signal }: Pick<WorkCall, 'signal'>,
): Promise<SeenWork> {
  if (kind === 'turn') return { turn: await handle.record({ signal }), request: null };
  const request = await handle.record({ signal });
  return { turn: request.turn, request };
}

/** Decides whether work has ended, with a turn or without. */
export const hasEnded = ({ turn, request }: SeenWork): boolean =>
  turn ? turn.state === 'ended' : request.finished_at_utc !== null;

/** Says that a request waits, and where in the queue. */
export const waitingWords = ({
  queue_position: before,
}: Pick<Schemas['RequestRecord'], 'queue_position'>): string =>
  before === null ? 'waiting' : `waiting, place ${before + 1} in the queue`;
