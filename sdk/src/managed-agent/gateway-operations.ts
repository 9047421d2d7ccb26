import type { OperationMethod } from '../gateway/contract.js';
import type { Documented as GatewayDocumented } from '../generated/gateway/types/methods.js';
import { type OperationId, routes } from './contract.js';

/** The name in a gateway's own client of an operation that the server forwards: the server's name without `Gateway`. */
type NameAtGateway<Id extends OperationId> = Id extends 'getAgentGateway'
  ? 'getStatus'
  : Id extends `${infer Verb}Gateway${infer Rest}`
    ? `${Verb}${Rest}`
    : never;

/** The methods of a gateway's own client, with the operations of the server that forward them. */
export type GatewayOperations = {
  readonly [Id in OperationId as Extract<NameAtGateway<Id>, keyof GatewayDocumented>]: Id;
};

/** The methods of a gateway's own client that the server forwards. */
export type AgentGatewayMethods = {
  readonly [Name in keyof Pick<GatewayDocumented, keyof GatewayOperations>]: OperationMethod<Name>;
};

/** Returns the names of `GatewayOperations`, and `attach` and `detach`, which only the server has; each with its operation. */
export function gatewayOperations(): readonly (readonly [name: string, id: OperationId])[] {
  const ids = (Object.keys(routes) as OperationId[]).filter((id) => id.includes('Gateway'));
  return ids.map((id) => [id === 'getAgentGateway' ? 'getStatus' : id.replace('Gateway', ''), id]);
}

/** Returns the server's name of an operation of a gateway: `getGatewayTurn` for `getTurn`. */
export const operationAtServer = (name: string): string => name.replace(/^[a-z]+/, '$&Gateway');
