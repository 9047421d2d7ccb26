import type { Documented as GatewayDocumented } from '../generated/gateway/methods.js';
import type { Documented } from '../generated/managed-agent/methods.js';
import {
  type AgentMethod,
  type AgentOperationId,
  isOfAgent,
  type OperationId,
  type OperationMethods,
  routes,
} from './contract.js';

/** Every operation of an agent, those of its gateway aside, with the agent filled in. */
export type AgentMethods = {
  readonly [Id in keyof Pick<Documented, AgentOperationId>]: AgentMethod<Id>;
};

/** The methods of a gateway's own client, and the operations by which the server does the same. */
const gatewayOperations = {
  getStatus: 'getAgentGateway',
  submitRequest: 'submitGatewayRequest',
  listRequests: 'listGatewayRequests',
  getRequest: 'getGatewayRequest',
  cancelRequest: 'cancelGatewayRequest',
  getTurn: 'getGatewayTurn',
  listEvents: 'listGatewayEvents',
  controlPrompt: 'controlGatewayPrompt',
  sendKeys: 'sendGatewayKeys',
  reconcile: 'reconcileGateway',
  getQueue: 'getGatewayQueue',
  updateQueue: 'updateGatewayQueue',
  getHeadlessState: 'getGatewayHeadlessState',
  setNextPromptSession: 'setGatewayNextPromptSession',
  getTuiState: 'getGatewayTuiState',
  getTuiHistory: 'getGatewayTuiHistory',
  notePrompt: 'noteGatewayPrompt',
  createReminders: 'createGatewayReminders',
  listReminders: 'listGatewayReminders',
  getReminder: 'getGatewayReminder',
  updateReminder: 'updateGatewayReminder',
  deleteReminder: 'deleteGatewayReminder',
  getMailNotifier: 'getGatewayMailNotifier',
  updateMailNotifier: 'updateGatewayMailNotifier',
  disableMailNotifier: 'disableGatewayMailNotifier',
} as const satisfies Partial<Record<keyof GatewayDocumented, OperationId>>;
type GatewayOperations = typeof gatewayOperations;

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
  const named = Object.entries(gatewayOperations).map(([name, id]) => [name, bound(id)]);
  const both = { attach: bound('attachGateway'), detach: bound('detachGateway') };
  return { ...(Object.fromEntries(named) as AgentGatewayMethods), ...(both as unknown as AgentGateway) };
}
