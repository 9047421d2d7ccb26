// The meaning of a generated interface in TypeScript, independent of express and of any surface: `O` is
// openapi-typescript's `operations`.
import type { Readable } from 'node:stream';
import type { EventStream } from './event-stream.js';

/** A text answer that is sent while it is read, so that a large file is never in memory as a whole. */
export class StreamedText {
  /** In bytes. */
  readonly length: number;
  /** UTF-8, read once. Code that does not read it to its end must destroy it. */
  readonly source: Readable;
  /** Its `Content-Type`. */
  readonly type: string;

  constructor(length: number, source: Readable, type = 'text/plain; charset=utf-8') {
    this.length = length;
    this.source = source;
    this.type = type;
  }
}

/** The body of a response: JSON, a text or events that are streamed, or `undefined` where there is none. */
type AnswerOf<R> = R extends { content: { 'application/json': infer B } }
  ? R extends { content: { 'text/event-stream': string } }
    ? B | EventStream<B>
    : B
  : R extends { content: { 'text/plain': string } }
    ? StreamedText
    : undefined;

type Part<P, K extends string> = P extends { [k in K]?: infer V }
  ? [V] extends [undefined]
    ? Record<never, never>
    : NonNullable<V>
  : Record<never, never>;
type ParametersOf<Op> = Op extends { parameters: infer P } ? P : Record<never, never>;
/** The body of a request; `undefined` where it may be left out and was. */
type BodyOf<Op> = Op extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : Op extends { requestBody?: infer R }
    ? [NonNullable<R>] extends [never]
      ? undefined
      : NonNullable<R> extends { content: { 'application/json': infer B } }
        ? B | undefined
        : undefined
    : undefined;

/** The input of a handler: everything in it was validated, and defaults are filled in. */
export interface HandlerContext<Op> {
  path: Part<ParametersOf<Op>, 'path'>;
  query: Part<ParametersOf<Op>, 'query'>;
  /** The declared headers, under their names in the contract. */
  headers: Part<ParametersOf<Op>, 'header'>;
  body: BodyOf<Op>;
  /**
   * Aborted when the caller goes away before the answer, or, with the reason `stopping`, when the server stops: a handler that
   * waits then answers with what is known.
   */
  signal: AbortSignal;
  /** Whether the caller wants an {@link EventStream}, where the operation has one. */
  streams: boolean;
  /** Whether the user who runs the program, or root, calls from this machine, by a program that is no web page. */
  byOwner: boolean;
  /** The `X-Request-Id` of this call. */
  httpRequestId: string;
}

type Responses<Op> = Op extends { responses: infer R } ? R : never;
export type StatusOf<Op> = Extract<keyof Responses<Op>, number>;
type ResponseFor<Op, S> = S extends keyof Responses<Op> ? Responses<Op>[S] : never;
type BodyFor<Op, S> = AnswerOf<ResponseFor<Op, S>>;
type DeclaredHeaders<H> = { [K in keyof H as string extends K ? never : K]?: H[K] };
type HeadersFor<Op, S> =
  ResponseFor<Op, S> extends { headers: infer H } ? DeclaredHeaders<H> : Record<never, never>;

type Primitive = string | number | boolean | bigint | symbol | null | undefined;
type KeyOfAny<T> = T extends unknown ? keyof T : never;
type Get<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
/** `V` with every property that `T` does not have turned into `never`, at any depth. Open objects are left unchanged. */
export type Exact<T, V> = unknown extends T
  ? V
  : V extends Primitive | StreamedText | EventStream<never>
    ? V
    : V extends readonly (infer E)[]
      ? T extends readonly (infer U)[]
        ? Exact<U, E>[]
        : V
      : string extends keyof T
        ? V
        : { [K in keyof V]: K extends KeyOfAny<T> ? Exact<Get<T, K>, V[K]> : never };

declare const brand: unique symbol;
/** An answer made by {@link Reply}. A bare object literal does not fit: TypeScript would let extra fields through. */
export interface Sent<Op> {
  readonly [brand]: Op;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, unknown>;
}
export type Reply<Op> = <const S extends StatusOf<Op>, const B extends BodyFor<Op, S>>(
  status: S,
  ...rest: [BodyFor<Op, S>] extends [undefined]
    ? [body?: undefined, headers?: HeadersFor<Op, S>]
    : [body: B & Exact<BodyFor<Op, S>, B>, headers?: HeadersFor<Op, S>]
) => Sent<Op>;

/** The handler of one operation. */
export type HandlerOf<O, Id extends keyof O> = (
  context: HandlerContext<O[Id]>,
  reply: Reply<O[Id]>,
) => Sent<O[Id]> | Promise<Sent<O[Id]>>;

// `keyof never` is every possible name: an operation without parameters has none.
type Keys<P> = [P] extends [never] ? never : keyof P;
type HeaderNames<Op> = Op extends { parameters: { header?: infer P } } ? Keys<NonNullable<P>> : never;
/** One row of a generated route table: the data that is needed to mount an operation. */
export interface GeneratedRoute<Op = unknown, P = Record<string, unknown>> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: keyof P;
  readonly headerParams: readonly HeaderNames<Op>[];
  readonly body: boolean;
}
/** A route table. One that lacks an operation, or has a name that the contract does not have, does not compile. */
export type RouteTableOf<O, P> = { readonly [Id in keyof O]: GeneratedRoute<O[Id], P> };
