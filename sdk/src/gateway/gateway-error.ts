import { CallError, type CallErrorFields } from '../core/call-error.js';
import type { OperationId, Schemas } from './contract.js';

/**
 * Why a call failed, as a word to branch on:
 *
 * - the `error_code` of a refused `controlPrompt`, for example `not_ready`;
 * - `validation_failed`: the request breaks the contract, see {@link GatewayError.items};
 * - `http_<status>`: any other refusal, for example `http_404`;
 * - `timeout`, `aborted`, `connection_failed`: there was no complete answer;
 * - `invalid_answer`: something answered that does not speak the contract;
 * - `unknown_state`: a request is in a state that this version does not know.
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
  | 'unknown_state'
  | `http_${number}`
  | (string & Record<never, never>);

export interface GatewayErrorFields extends CallErrorFields<OperationId, GatewayErrorCode> {
  requestId?: string | null;
  idempotencyKey?: string | null;
  done?: boolean;
  messageRef?: string | null;
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
export class GatewayError extends CallError<OperationId, GatewayErrorCode> {
  override readonly name: string = 'GatewayError';
  /**
   * The queued request that the failed call waited for; null when there is none, or its id did not arrive. Go on
   * waiting with `client.request(requestId).answer()`.
   */
  readonly requestId: string | null;
  /**
   * Set when a submission may have been queued, or a message delivered, and its answer was lost: submit the same once more
   * with this key (`idempotencyKey` of `prompt`, the header `Idempotency-Key` of `submitRequest`, `sendMail`, `postMail` and
   * `replyMail`), and it is queued or delivered once at most. Set, too, for a message that was delivered ({@link done}).
   */
  readonly idempotencyKey: string | null;
  /**
   * True when a mail operation did what it was asked for, and the mailbox could not note or show all of it: do not do it
   * anew. `detail` says what is wrong.
   */
  readonly done: boolean;
  /** The reference of a message that was delivered all the same; null unless `done`, and for what delivers nothing. */
  readonly messageRef: string | null;

  constructor(fields: GatewayErrorFields) {
    super(fields);
    this.requestId = fields.requestId ?? null;
    this.idempotencyKey = fields.idempotencyKey ?? null;
    this.done = fields.done ?? fields.headers?.get('X-Houmao-Done') === 'true';
    this.messageRef = fields.messageRef ?? fields.headers?.get('X-Houmao-Message-Ref') ?? null;
  }
}

/** Narrows what was caught to a {@link GatewayError}. */
export function isGatewayError(error: unknown): error is GatewayError {
  return error instanceof GatewayError;
}

/** The same error with more said about it. */
export function amended(error: GatewayError, changes: Partial<GatewayErrorFields>): GatewayError {
  return new GatewayError({ ...error, cause: error.cause, ...changes });
}
