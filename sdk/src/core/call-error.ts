import { retryAfterMs } from './retry/retry-after.js';

/** One violation of the contract in a request, with its place (`loc`) as a path into the request. */
export interface ValidationItem {
  /** The stable name of the rule, for programs. */
  type: string;
  loc: (string | number)[];
  /** The rule in words. */
  msg: string;
  /** The offending value, cut to 256 characters. */
  input: unknown;
  ctx?: { [key: string]: unknown };
}

export interface CallErrorFields<Id extends string = string, Code extends string = string> {
  status: number | null;
  errorCode: Code;
  detail: string;
  operationId: Id | null;
  items?: readonly ValidationItem[];
  httpRequestId?: string | null;
  /** The headers of the answer, for details of a surface's errors beside the text. */
  headers?: Headers | null;
  /** Default: true. */
  sent?: boolean;
  /** Default: false. */
  hopeless?: boolean;
  /** Default: according to the headers of the answer. */
  outcomeUnknown?: boolean;
  idempotencyKey?: string | null;
  cause?: unknown;
  /** The start of the message. Default: like "getTurn failed". */
  what?: string;
}

/** A failed call of any surface: a refusal, or no usable answer. */
export class CallError<Id extends string = string, Code extends string = string> extends Error {
  override readonly name: string = 'CallError';
  /** The HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  readonly errorCode: Code;
  /** A sentence for people. Violations of the contract are listed, as `body.payload.prompt: Field required`. */
  readonly detail: string;
  /** The violations when `errorCode` is `validation_failed`; otherwise empty. */
  readonly items: readonly ValidationItem[];
  /** The answer's `X-Request-Id`; null without an answer. */
  readonly httpRequestId: string | null;
  /**
   * The seconds after which the server wants the call repeated (`Retry-After` of the answer, counted from its arrival); null where it does
   * not say so. The client itself waits for them with `maxRetries`.
   */
  readonly retryAfter: number | null;
  /** The operation that failed; null when the path is not one of the contract. */
  readonly operationId: Id | null;
  /**
   * Whether any part of the call may have reached the server: false when it was stopped before it was sent, or no connection
   * was made.
   */
  readonly sent: boolean;
  /**
   * Whether no repeat can help, because the address itself cannot be called: a port that `fetch` blocks, a refused certificate.
   */
  readonly hopeless: boolean;
  /**
   * Set when the call may have been done and its answer was lost: repeat the same call with this key, and it is done at most
   * once. Also set when the server says that it was done despite the error.
   */
  readonly idempotencyKey: string | null;
  /** The headers of the answer; null without an answer. Not shown where an error is printed. */
  declare readonly headers: Headers | null;

  constructor(fields: CallErrorFields<Id, Code>) {
    const { status, errorCode, detail, operationId } = fields;
    const what = fields.what ?? `${operationId ?? 'The call'} failed`;
    // A `cause` of undefined would be printed as one.
    super(`${what} (${status ?? errorCode}): ${detail}`, fields.cause === undefined ? {} : fields);
    this.status = status;
    this.errorCode = errorCode;
    this.detail = detail;
    this.items = fields.items ?? [];
    this.httpRequestId = fields.httpRequestId ?? null;
    const milliseconds = retryAfterMs(fields.headers?.get('Retry-After') ?? null, new Date());
    this.retryAfter = milliseconds === null ? null : milliseconds / 1000;
    Object.defineProperty(this, 'headers', { value: fields.headers ?? null });
    this.operationId = operationId;
    this.sent = fields.sent ?? true;
    this.hopeless = fields.hopeless ?? false;
    this.idempotencyKey = fields.idempotencyKey ?? null;
  }
}
