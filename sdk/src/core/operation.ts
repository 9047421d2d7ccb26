import type { Middleware } from 'openapi-fetch';
import type { CallPromise } from './call-promise.js';
import type { OwnFetch } from './transport/own.js';

/** The name of an operation among those of a surface, which is also the name of its method. */
export type IdOf<Operations> = keyof Operations & string;

/** The types that openapi-typescript generates for one operation. */
export interface OperationShape {
  readonly parameters: { readonly query?: unknown; readonly header?: unknown; readonly path?: unknown };
  readonly requestBody?: unknown;
  readonly responses: object;
}

/** The generated `operations` of a surface. */
export type OperationsShape<Operations> = { readonly [Id in keyof Operations]: OperationShape };

/** The body of an operation's success. */
export type SuccessBodyOf<Operation extends OperationShape> = JsonOf<
  Operation['responses'],
  keyof Operation['responses'] & (200 | 201 | 202)
>;

/**
 * The options of an operation's method: the parameters and the body that its contract declares, and the limits of the call.
 * Parameters that the operation does not have are not accepted; those that it requires must be given.
 */
export type CallOptionsOf<Operation extends OperationShape> = CallLimits &
  CallWay &
  Part<'path', Operation['parameters']['path']> &
  Part<'query', Loose<Operation['parameters']['query']>> &
  Part<'headers', Loose<Operation['parameters']['header']>> &
  Part<'body', BodyOf<Operation['requestBody']>>;

/** The codes with which an operation is refused, as its contract names them. */
export type ErrorCodeOf<Operation extends OperationShape> = {
  [Status in keyof Operation['responses']]: Operation['responses'][Status] extends {
    headers: { 'X-Houmao-Error-Code': infer Code };
  }
    ? Code
    : never;
}[keyof Operation['responses']];

/** The error codes of a call without an answer of the server, or with one that has no code. */
export type CallErrorCode =
  | 'timeout'
  | 'aborted'
  | 'connection_failed'
  | 'middleware_failed'
  | 'foreign_server'
  | 'invalid_answer'
  | `http_${number}`;

/** The time a call may take, and the signal that stops it. */
export interface CallLimits {
  /** Stops the call; it then rejects with `errorCode: 'aborted'` and the signal's reason as `cause`. */
  signal?: AbortSignal | undefined;
  /**
   * The milliseconds until the answer must be there, for all tries and the pauses between them together, instead of the
   * client's `timeoutMs`; `Infinity` for no limit. Seconds of `wait_seconds` are added to it.
   */
  timeoutMs?: number | undefined;
  /** The most repeats of the call, if its operation may be repeated, instead of the client's `maxRetries`; 0 for none. */
  maxRetries?: number | undefined;
}

/** The way one call is sent. */
export interface CallWay {
  /** Sends this call instead of the client's own `fetch`. */
  fetch?: OwnFetch | undefined;
  /** Sees this call's tries, inside the client's own `middleware`. */
  middleware?: Middleware[] | undefined;
}

/** The method of an operation; its argument may be left out when nothing in it is required. */
export type OperationMethodOf<Operation extends OperationShape> =
  Record<never, never> extends CallOptionsOf<Operation>
    ? (options?: CallOptionsOf<Operation>) => CallPromise<SuccessBodyOf<Operation>>
    : (options: CallOptionsOf<Operation>) => CallPromise<SuccessBodyOf<Operation>>;

/**
 * One method per operation. `Documented` has a property per operation with a comment that describes it: because the type is
 * mapped, the comment is copied to the method, where editors show it.
 */
export type OperationMethodsOf<
  Operations extends OperationsShape<Operations>,
  Documented extends Readonly<Record<IdOf<Operations>, unknown>> = Operations,
> = {
  readonly [Id in keyof Documented]: Id extends keyof Operations ? OperationMethodOf<Operations[Id]> : never;
};

/** Whether an operation may be repeated: as it is (`safe`), only with its Idempotency-Key (`keyed`), or not at all (`never`). */
export type RetryPolicy = 'safe' | 'keyed' | 'never';

/** The method and path of an operation, and whether it may be repeated. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly retry: RetryPolicy;
  /** Whether its success is a text instead of JSON. */
  readonly text?: true;
}

/** A route table, typed so that it does not compile with the types of another contract. */
export type RouteTable<Paths, Operations> = {
  readonly [Id in IdOf<Operations>]: Route & { readonly path: keyof Paths };
};

type JsonOf<Responses, Status extends keyof Responses> = {
  [S in Status]: Responses[S] extends { content: { 'application/json': infer Body } }
    ? Body
    : Responses[S] extends { content: { 'text/plain': string } }
      ? string
      : undefined;
}[Status];

type BodyOf<RequestBody> =
  | (RequestBody extends { content: { 'application/json': infer Body } } ? Body : never)
  | (undefined extends RequestBody ? undefined : never);

/**
 * Optional properties may also be `undefined`, and a cursor null, as `next_cursor` of the last page is; both mean the first
 * page.
 */
type Loose<T> = {
  [K in keyof T]: Record<never, never> extends Pick<T, K>
    ? T[K] | undefined | (K extends 'cursor' ? null : never)
    : T[K];
};

type Part<Name extends string, T> = [Exclude<T, undefined>] extends [never]
  ? unknown
  : undefined extends T
    ? { [K in Name]?: T | undefined }
    : { [K in Name]: T };
