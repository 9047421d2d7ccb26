import { operations as rows } from '../../../generated/gateway/server/operations.js';
import type { operations } from '../../../generated/gateway/types.js';
import { ExchangeFault } from '../../foundation/exchange-fault.js';
import { type HttpAnswer, HttpConnections } from '../../foundation/http-exchange.js';

export type GatewayOperation = keyof typeof rows;

/** The input of an operation, in the words of the gateway's contract. */
export interface GatewayQuestion {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Headers such as `Idempotency-Key`; undefined values are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** The time limit of this call, in place of the operation's usual one. */
  readonly milliseconds?: number;
}

type Json<R> = R extends { content: { 'application/json': infer B } } ? B : never;
type ResponsesOf<Id extends GatewayOperation> = operations[Id]['responses'];
/** The body of an operation's success. */
export type GatewayBody<Id extends GatewayOperation> =
  | (ResponsesOf<Id> extends { 200: infer R } ? Json<R> : never)
  | (ResponsesOf<Id> extends { 202: infer R } ? Json<R> : never);

/** The answer of a gateway. */
export type GatewayAnswer<Body = unknown> = { readonly headers: HttpAnswer['headers'] } & (
  | { readonly kind: 'done'; readonly body: Body }
  /** `detail` is a sentence, a list of broken rules, or the object of a refused prompt. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: unknown }
);

/** In bytes. A history of a thousand screens has a third of it. */
const longestAnswer = 64 * 1024 * 1024;
/** The longest wait for a connection to a gateway. */
const connectMilliseconds = 5000;

/**
 * Opens the connections to all gateways, which are kept between calls.
 * @param obeysProxyVariables true for `HOUMAO_GATEWAY_RESPECT_PROXY_ENV=1`; otherwise no proxy is used.
 */
export const gatewayConnections = (obeysProxyVariables: boolean): HttpConnections =>
  new HttpConnections(obeysProxyVariables, { connectMilliseconds });

/** The calls to gateways of this machine, by operation. */
export class GatewayCalls {
  readonly #connections: HttpConnections;

  readonly #traceParent: () => string | null;

  /** @param traceParent returns the `traceparent` of the call for which a gateway is called. */
  constructor(connections: HttpConnections, traceParent: () => string | null = () => null) {
    this.#connections = connections;
    this.#traceParent = traceParent;
  }

  /**
   * @param port the gateway's, on 127.0.0.1.
   * @throws {ExchangeFault} where no usable answer came.
   */
  async ask<Id extends GatewayOperation>(
    port: number,
    operation: Id,
    question: GatewayQuestion = {},
  ): Promise<GatewayAnswer<GatewayBody<Id>>> {
    const { method, path } = rows[operation];
    const { query = {}, body } = question;
    const raw = await this.#connections.exchange({
      origin: `http://127.0.0.1:${port}`,
      method,
      path: fill(path, question.path ?? {}) + queryOf(query),
      headers: headersOf(question, this.#traceParent()),
      body: body === undefined ? null : JSON.stringify(body),
      milliseconds: question.milliseconds ?? callLimit(operation, query),
      signal: question.signal ?? null,
      longestAnswer,
    });
    return answerOf(raw) as GatewayAnswer<GatewayBody<Id>>;
  }
}

const fill = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) given.append(name, String(one));
  return given.size === 0 ? '' : `?${given}`;
}

function headersOf(
  { headers = {}, body }: GatewayQuestion,
  traceParent: string | null,
): Record<string, string> {
  const given: Record<string, string> = traceParent === null ? {} : { traceparent: traceParent };
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) given[name] = value;
  if (body !== undefined) given['Content-Type'] = 'application/json';
  return given;
}

/**
 * Reads an answer. Of a refusal whose body is no JSON, the text is forwarded.
 * @throws {ExchangeFault} for a 2xx whose body is no JSON.
 */
function answerOf({ status, headers, text }: HttpAnswer): GatewayAnswer {
  const done = status >= 200 && status < 300;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (done) throw new ExchangeFault('invalid_answer');
    return { kind: 'refused', status, headers, detail: text.slice(0, maxReason) };
  }
  if (done) return { kind: 'done', headers, body: value };
  const detail = (value as { detail?: unknown } | null)?.detail ?? text.slice(0, maxReason);
  return { kind: 'refused', status, headers, detail };
}

/** The number of characters that are forwarded of a refusal that does not follow the contract. */
const maxReason = 300;

/** The limit of calls that wait for nothing: a gateway answers them in milliseconds. */
const usual = 5000;
/** The limit of calls that type, end a turn first, or wait for locks and mail servers. */
const long = 60_000;
/**
 * The limit of calls with files. The gateway itself gives a mail server a second per MiB beside its usual time: 74 s for
 * the largest file that is fetched, and for a message its uploads and 60 s. If this server gave up sooner, the result
 * would be lost.
 */
const withFiles = 180_000;
const limits: Readonly<Partial<Record<GatewayOperation, number>>> = {
  controlPrompt: long,
  sendKeys: long,
  answerDialog: long,
  getMailStatus: long,
  listMail: long,
  peekMail: long,
  readMail: long,
  markMail: long,
  moveMail: long,
  archiveMail: long,
  fetchMailAttachment: withFiles,
  sendMail: withFiles,
  postMail: withFiles,
  replyMail: withFiles,
};

/** Returns how many milliseconds a gateway may take for a call. One that waits gets the usual time on top of its wait. */
export function callLimit(operation: GatewayOperation, query: Readonly<Record<string, unknown>>): number {
  const { wait_seconds: wait } = query;
  if (typeof wait === 'number' && wait > 0) return wait * 1000 + usual;
  return limits[operation] ?? usual;
}
