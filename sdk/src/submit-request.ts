import { isGatewayError } from './gateway-error.js';
import { pause } from './limits.js';
import type { OperationMethod } from './operation.js';

type SubmitRequest = OperationMethod<'submitRequest'>;

/** Pauses before the second and the third try, in milliseconds. */
const BACKOFF_MS = [100, 400];

/**
 * Gives every submission an `Idempotency-Key` (the caller's own, or a new one) and repeats it with that key when the
 * answer was lost: the gateway then answers what it stored and queues nothing twice. An HTTP status is an answer and
 * is never repeated. Each of the three tries may take `timeoutMs`.
 */
export function repeatWhenLost(submit: SubmitRequest): SubmitRequest {
  return async (options) => {
    const headers = {
      ...options.headers,
      'Idempotency-Key': options.headers?.['Idempotency-Key'] ?? newKey(),
    };
    for (let tries = 0; ; tries += 1) {
      try {
        return await submit({ ...options, headers });
      } catch (error) {
        const backoffMs = BACKOFF_MS[tries];
        if (backoffMs === undefined || !isLost(error)) throw error;
        // A signal that fires during the pause is told as the next try would tell it.
        await pause(backoffMs, options.signal).catch(() => undefined);
      }
    }
  };
}

/** Whether the call ended without an answer, so that nobody knows what became of it. */
export function isLost(error: unknown): boolean {
  return isGatewayError(error) && ['connection_failed', 'timeout'].includes(error.errorCode);
}

/** `randomUUID` would be shorter, but pages that a gateway serves over plain HTTP to other machines have none. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
