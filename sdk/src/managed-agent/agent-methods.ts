import { type GroupsOf, gatewayGroups, withGroups } from '../core/groups.js';
import { type GatewayWork, gatewayWork } from '../gateway/gateway-work.js';
import type { DocumentedGroups as DocumentedOfGateway } from '../generated/gateway/types/methods.js';
import type { Documented, DocumentedGroups } from '../generated/managed-agent/types/methods.js';
import {
  type AgentMethod,
  type AgentOperationId,
  isOfAgent,
  type OperationId,
  type OperationMethods,
  routes,
} from './contract.js';
import { serverErrors } from './failed-work.js';
import { type AgentGatewayMethods, gatewayOperations } from './gateway-operations.js';

/** Every operation of an agent, except those of its gateway, with the agent filled in. */
export type AgentMethods = {
  readonly [Id in keyof Pick<Documented, AgentOperationId>]: AgentMethod<Id>;
};

/** The methods of an agent by short names: `mail.send` is `sendAgentMail`. */
export type AgentGroups = GroupsOf<Pick<DocumentedGroups, 'mail' | 'turns'>, AgentMethods>;

/** The methods of a gateway by short names: `reminders.create` is `createReminders`. */
export type AgentGatewayGroups = GroupsOf<Omit<DocumentedOfGateway, 'mail'>, AgentGatewayMethods>;

/**
 * A gateway, called directly or through the server: a `GatewayClient` is one, and so is `client.agent(ref).gateway`. Its errors
 * are those of the client.
 */
export interface AnyGateway extends AgentGatewayMethods, AgentGatewayGroups, GatewayWork {}

/**
 * The gateway of an agent, called through the server: 503 while none is alive. It is what a client of the gateway itself is,
 * with the same methods and handles, except mail, which is the agent's. Everything that fails rejects with a `HoumaoError`, whose
 * `operationId` is the server's (`submitGatewayRequest`).
 */
export interface AgentGateway extends AnyGateway {
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
}

type AnyOptions = { readonly path?: object } & object;
type AnyMethod = (options?: AnyOptions) => Promise<unknown>;

const binder =
  (methods: OperationMethods, agentRef: string) =>
  (id: OperationId): AnyMethod =>
  (options = {}) =>
    (methods[id] as AnyMethod)({ ...options, path: { ...options.path, agent_ref: agentRef } });

export function agentMethods(methods: OperationMethods, agentRef: string): AgentMethods & AgentGroups {
  const bound = binder(methods, agentRef);
  const ids = (Object.keys(routes) as OperationId[]).filter(isOfAgent);
  const flat = Object.fromEntries(ids.map((id) => [id, bound(id)])) as unknown as AgentMethods;
  return withGroups<AgentMethods, AgentGroups>(gatewayGroups, flat);
}

export function agentGateway(methods: OperationMethods, agentRef: string): AgentGateway {
  const bound = binder(methods, agentRef);
  const named = Object.fromEntries(gatewayOperations().map(([name, id]) => [name, bound(id)]));
  const operations = named as unknown as AgentGatewayMethods & Pick<AgentGateway, 'attach' | 'detach'>;
  return {
    ...withGroups<typeof operations, AgentGatewayGroups>(gatewayGroups, operations),
    ...gatewayWork(operations, serverErrors),
  };
}
