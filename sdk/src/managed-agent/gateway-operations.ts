import type { Documented as GatewayDocumented } from '../generated/gateway/methods.js';
import { type OperationId, routes } from './contract.js';

/** What a gateway's own client calls an operation that the server passes on: the server's name without `Gateway`. */
type NameAtGateway<Id extends OperationId> = Id extends 'getAgentGateway'
  ? 'getStatus'
  : Id extends `${infer Verb}Gateway${infer Rest}`
    ? `${Verb}${Rest}`
    : never;

/** The methods of a gateway's own client, and the operations by which the server does the same. */
export type GatewayOperations = {
  readonly [Id in OperationId as Extract<NameAtGateway<Id>, keyof GatewayDocumented>]: Id;
};

/** The names of `GatewayOperations`, also `attach` and `detach`, which the server alone has; each with its operation. */
export function gatewayOperations(): readonly (readonly [name: string, id: OperationId])[] {
  const ids = (Object.keys(routes) as OperationId[]).filter((id) => id.includes('Gateway'));
  return ids.map((id) => [id === 'getAgentGateway' ? 'getStatus' : id.replace('Gateway', ''), id]);
}
