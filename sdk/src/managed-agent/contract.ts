import type { GroupsOf } from '../core/groups.js';
import type * as core from '../core/operation.js';
import { operations as table } from '../generated/managed-agent/operations.js';
import type { components, LaterWord, operations, paths } from '../generated/managed-agent/types/client.js';
import type { Documented, DocumentedGroups } from '../generated/managed-agent/types/methods.js';

/** The name of an operation of the contract, which is also the name of its method. */
export type OperationId = keyof operations;

/** The data shapes of the contract by name: `Schemas['AgentState']`. */
export type Schemas = components['schemas'];

/** The body of the operation's success: `SuccessBody<'getAgentState'>`. */
export type SuccessBody<Id extends OperationId> = core.SuccessBodyOf<operations[Id]>;

/**
 * The options of an operation's method: the parameters and the body that its contract declares, and the limits of the call.
 * Parameters that the operation does not have are not accepted; those that it requires must be given.
 */
export type CallOptions<Id extends OperationId> = core.CallOptionsOf<operations[Id]>;

/** The method of an operation; its argument may be left out when nothing in it is required. */
export type OperationMethod<Id extends OperationId> = core.OperationMethodOf<operations[Id]>;

/** The codes with which an operation is refused: `ErrorCode<'cancelRequest'>`. */
export type ErrorCode<Id extends OperationId = OperationId> = {
  [One in Id]: Exclude<core.ErrorCodeOf<operations[One]>, LaterWord>;
}[Id];

/** One method per operation of the contract. */
export type OperationMethods = core.OperationMethodsOf<operations, Documented>;

/** The methods of the operations by short names: `mail.send` is `sendAgentMail`. */
export type OperationGroups = GroupsOf<DocumentedGroups, OperationMethods>;

export const routes: core.RouteTable<paths, operations> = table;

type PathOf<Id extends OperationId> = (typeof table)[Id]['path'];

/** The operations of one agent, except those of its gateway. */
export type AgentOperationId = {
  [Id in OperationId]: PathOf<Id> extends `/houmao/agents/{agent_ref}/gateway${string}`
    ? never
    : PathOf<Id> extends `/houmao/agents/{agent_ref}${string}`
      ? Id
      : never;
}[OperationId];

export const isOfAgent = (id: OperationId): id is AgentOperationId =>
  /^\/houmao\/agents\/\{agent_ref\}(?!\/gateway)/.test(table[id].path);

/** An operation without the path parameter that names the agent. */
interface WithoutAgent<Operation extends core.OperationShape> {
  readonly parameters: {
    readonly query?: Operation['parameters']['query'];
    readonly header?: Operation['parameters']['header'];
    readonly path: WithoutRef<NonNullable<Operation['parameters']['path']>>;
  };
  readonly requestBody: Operation['requestBody'];
  readonly responses: Operation['responses'];
}
type WithoutRef<Path> = [Exclude<keyof Path, 'agent_ref'>] extends [never]
  ? undefined
  : Omit<Path, 'agent_ref'>;

/** The method of an operation with its agent filled in. */
export type AgentMethod<Id extends OperationId> = core.OperationMethodOf<WithoutAgent<operations[Id]>>;
