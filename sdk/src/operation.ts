import type { components, operations, paths } from './generated/gateway.js';
import { operations as table } from './generated/operations.js';

/** The name of an operation of the contract, which is also the name of its method. */
export type OperationId = keyof operations;

/** The data shapes of the contract by name: `Schemas['RequestRecord']`. */
export type Schemas = components['schemas'];

/** The body of the operation's success: `SuccessBody<'getStatus'>`. */
export type SuccessBody<Id extends OperationId> = JsonOf<
  operations[Id]['responses'],
  keyof operations[Id]['responses'] & (200 | 201 | 202)
>;

/**
 * What the method of an operation takes: the parameters and the body that its contract declares, and how long to
 * wait. What the operation does not have cannot be given; what it requires must be.
 */
export type CallOptions<Id extends OperationId> = CallLimits &
  Part<'path', operations[Id]['parameters']['path']> &
  Part<'query', operations[Id]['parameters']['query']> &
  Part<'headers', operations[Id]['parameters']['header']> &
  Part<'body', BodyOf<operations[Id]['requestBody']>>;

/** How long a call may take, and who may stop it. */
export interface CallLimits {
  /** Stops the call; it then rejects with `errorCode: 'aborted'` and the signal's reason as `cause`. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds that the answer may take, instead of the client's `timeoutMs`; `Infinity` for no limit. Seconds asked
   * for with `wait_seconds` are added to it.
   */
  timeoutMs?: number | undefined;
}

/** The method of an operation; its argument may be left out when nothing in it is required. */
export type OperationMethod<Id extends OperationId> =
  Record<never, never> extends CallOptions<Id>
    ? (options?: CallOptions<Id>) => Promise<SuccessBody<Id>>
    : (options: CallOptions<Id>) => Promise<SuccessBody<Id>>;

/** One method per operation of the contract. */
export type OperationMethods = { readonly [Id in OperationId]: OperationMethod<Id> };

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: keyof paths;
}

/** Typed so that a table and types of different contracts do not compile. */
export const routes: Readonly<Record<OperationId, Route>> = table;

export const operationIds = Object.keys(routes) as OperationId[];

type JsonOf<Responses, Status extends keyof Responses> = {
  [S in Status]: Responses[S] extends { content: { 'application/json': infer Body } } ? Body : undefined;
}[Status];

type BodyOf<RequestBody> =
  | (RequestBody extends { content: { 'application/json': infer Body } } ? Body : never)
  | (undefined extends RequestBody ? undefined : never);

type Part<Name extends string, T> = [Exclude<T, undefined>] extends [never]
  ? unknown
  : undefined extends T
    ? { [K in Name]?: T | undefined }
    : { [K in Name]: T };
