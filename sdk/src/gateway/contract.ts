import type { GroupsOf } from '../core/groups.js';
import type * as core from '../core/operation.js';
import { operations as table } from '../generated/gateway/operations.js';
import type { components, LaterWord, operations, paths } from '../generated/gateway/types/client.js';
import type { Documented, DocumentedGroups } from '../generated/gateway/types/methods.js';

/** The name of an operation of the contract, which is also the name of its method. */
export type OperationId = keyof operations;

/** The data shapes of the contract by name: `Schemas['RequestRecord']`. */
export type Schemas = components['schemas'];

/** The body of the operation's success: `SuccessBody<'getStatus'>`. */
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

/** The methods of the operations by short names: `mail.send` is `sendMail`. */
export type OperationGroups = GroupsOf<DocumentedGroups, OperationMethods>;

export const routes: core.RouteTable<paths, operations> = table;
