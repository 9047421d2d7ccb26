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

/** Every operation of an agent, those of its gateway aside, with the agent filled in. */
export type AgentMethods = {
  readonly [Id in keyof Pick<Documented, AgentOperationId>]: AgentMethod<Id>;
};

/** What the gateway of an agent does, under the names of a gateway's own client. */
export type AgentGatewayMethods = {
  readonly [Name in keyof Pick<GatewayDocumented, keyof GatewayOperations>]: AgentMethod<
    GatewayOperations[Name]
  >;
};

/** The gateway of an agent, asked through the server: 503 while there is none that is alive. */
export interface AgentGateway extends AgentGatewayMethods {
  /**
   * Starts a gateway beside the agent and resolves when it serves; one that is alive stays as it is. Takes up to ten
   * seconds: give it a `timeoutMs` that is longer than the client's where that is short.
   *
   * `POST /houmao/agents/{agent_ref}/gateway/attach`
   *
   * @throws 409: it cannot be attached now. 422: the agent can have none. 503: it did not start.
   */
  readonly attach: AgentMethod<'attachGateway'>;
  /**
   * Ends the gateway of the agent; turns that run go on, and what is queued stays queued.
   *
   * `POST /houmao/agents/{agent_ref}/gateway/detach`
   *
   * @throws 422: the agent can have none. 503: it could not be ended.
   */
  readonly detach: AgentMethod<'detachGateway'>;
  /** What happens at the gateway, as it happens, over gateways that come and go; see {@link Events}. */
  readonly events: Events<Schemas['GatewayEvent'], HoumaoError>;
  /** Every request of the gateway, over all pages; see {@link Requests}. */
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
