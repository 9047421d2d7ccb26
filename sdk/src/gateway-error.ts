import type { OperationId, Schemas } from './operation.js';

/** One violation of the contract in a request, with its place (`loc`) as a path into the request. */
export type ValidationItem = Schemas['ValidationItem'];

/**
 * Why a call failed, as a word to branch on:
 *
 * - the `error_code` of a refused `controlPrompt`, for example `not_ready`;
 * - `validation_failed`: the request breaks the contract, see {@link GatewayError.items};
 * - `http_<status>`: any other refusal, for example `http_404`;
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `invalid_answer`: something answered that does not speak the contract.
 *
 * A {@link PromptFailed} carries the gateway's own word for what went wrong, and newer gateways may know more words.
 */
export type GatewayErrorCode =
  | Schemas['PromptRefusal']['error_code']
  | 'validation_failed'
  | 'timeout'
  | 'aborted'
  | 'connection_failed'
  | 'invalid_answer'
  | `http_${number}`
  | (string & Record<never, never>);

export interface GatewayErrorFields {
  status: number | null;
  errorCode: GatewayErrorCode;
  detail: string;
  operationId: OperationId | null;
  items?: readonly ValidationItem[];
  httpRequestId?: string | null;
  cause?: unknown;
}

/**
 * Every failure of a call: a refusal by the gateway, or no usable answer.
 *
 * @example
 * ```ts
 * try {
 *   await client.cancelRequest({ path: { request_id } });
 * } catch (error) {
 *   if (!isGatewayError(error) || error.status !== 409) throw error;
 *   console.log(error.detail); // it runs already
 * }
 * ```
 */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  readonly errorCode: GatewayErrorCode;
  /** A sentence for people. Violations of the contract are listed, as `body.payload.prompt: Field required`. */
  readonly detail: string;
  /** The violations when `errorCode` is `validation_failed`; otherwise empty. */
  readonly items: readonly ValidationItem[];
  /** The answer's `X-Request-Id`, under which the gateway logged it; null without an answer. */
  readonly httpRequestId: string | null;
  /** The operation that failed; null when the path is not one of the contract. */
  readonly operationId: OperationId | null;

  constructor(fields: GatewayErrorFields) {
    const { status, errorCode, detail, operationId } = fields;
    super(`${operationId ?? 'The call'} failed (${status ?? errorCode}): ${detail}`, { cause: fields.cause });
    this.status = status;
    this.errorCode = errorCode;
    this.detail = detail;
    this.items = fields.items ?? [];
    this.httpRequestId = fields.httpRequestId ?? null;
    this.operationId = operationId;
  }
}

/** Narrows what was caught to a {@link GatewayError}. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof GatewayError;
}
