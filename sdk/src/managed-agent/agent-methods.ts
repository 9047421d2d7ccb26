import { createRequests, type Requests } from '../gateway/requests.js';
import type { Documented as GatewayDocumented } from '../generated/gateway/methods.js';
import type { Documented } from '../generated/managed-agent/methods.js';
import { type EventSource, type Events, followEvents } from '../work/follow-events.js';
import {
  type AgentMethod,
  type AgentOperationId,
  isOfAgent,
  type OperationId,
  type OperationMethods,
  routes,
  type Schemas,
} from './contract.js';
import { type GatewayOperations, gatewayOperations } from './gateway-operations.js';
import type { HoumaoError } from './houmao-error.js';

/** Every operation of an agent, except those of its gateway, with the agent filled in. */
export type AgentMethods = {
  readonly [Id in keyof Pick<Documented, AgentOperationId>]: AgentMethod<Id>;
};

/** The operations of an agent's gateway, under the names of a gateway's own client. */
export type AgentGatewayMethods = {
  readonly [Name in keyof Pick<GatewayDocumented, keyof GatewayOperations>]: AgentMethod<
    GatewayOperations[Name]
  >;
};

/** The gateway of an agent, called through the server: 503 while none is alive. */
export interface AgentGateway extends AgentGatewayMethods {
  /**
   * Starts a gateway beside the agent and resolves when it serves; a gateway that is alive stays as it is. Takes up to ten
   * seconds: if the client's `timeoutMs` is shorter, give the call a longer one.
   *
   * `POST /houmao/agents/{agent_ref}/gateway/attach`
   *
   * @throws 409: it cannot be attached now. 422: this agent cannot have a gateway. 503: it did not start.
   */
  readonly attach: AgentMethod<'attachGateway'>;
  /**
   * Ends the gateway of the agent; running turns continue, and queued requests stay queued.
   *
   * `POST /houmao/agents/{agent_ref}/gateway/detach`
   *
   * @throws 422: this agent cannot have a gateway. 503: it could not be ended.
   */
  readonly detach: AgentMethod<'detachGateway'>;
  /** Streams the events of the gateway as they happen, across gateways that come and go; see {@link Events}. */
  readonly events: Events<Schemas['GatewayEvent'], HoumaoError>;
  /** Lists every request of the gateway, over all pages; see {@link Requests}. */
  readonly requests: Requests;
}

type AnyOptions = { readonly path?: object } & object;
type AnyMethod = (options?: AnyOptions) => Promise<unknown>;

const binder =
  (methods: OperationMethods, agentRef: string) =>
  (id: OperationId): AnyMethod =>
  (options = {}) =>
    (methods[id] as AnyMethod)({ ...options, path: { ...options.path, agent_ref: agentRef } });

export function agentMethods(methods: OperationMethods, agentRef: string): AgentMethods {
  const bound = binder(methods, agentRef);
  const ids = (Object.keys(routes) as OperationId[]).filter(isOfAgent);
  return Object.fromEntries(ids.map((id) => [id, bound(id)])) as unknown as AgentMethods;
}

export function agentGateway(methods: OperationMethods, agentRef: string): AgentGateway {
  const bound = binder(methods, agentRef);
  const named = gatewayOperations().map(([name, id]) => [name, bound(id)]);
  const source = { server: 'server', list: bound('listGatewayEvents') as EventSource['list'] } as const;
  const lists = {
    events: followEvents.bind(null, source),
    requests: createRequests(bound('listGatewayRequests') as AgentGatewayMethods['listRequests']),
  };
  return {
    ...(Object.fromEntries(named) as unknown as AgentGatewayMethods &
      Pick<AgentGateway, 'attach' | 'detach'>),
    ...(lists as Pick<AgentGateway, 'events' | 'requests'>),
  };
}
