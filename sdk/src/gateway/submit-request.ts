import { pause } from '../core/limits.js';
import type { OperationMethod } from './contract.js';
import { amended, type GatewayError, isGatewayError } from './gateway-error.js';

type SubmitRequest = OperationMethod<'submitRequest'>;

/** Pauses before the second and the third try, in milliseconds. */
const backoffsMs = [100, 400];

/**
 * Gives every submission an `Idempotency-Key` (the caller's own, or a new one) and repeats it with that key when the
 * answer was lost: the gateway then answers what it stored and queues nothing twice. An HTTP status is an answer and
 * is never repeated. Each of the three tries may take `timeoutMs`.
 */
export function repeatWhenLost(submit: SubmitRequest): SubmitRequest {
  return async (options) => {
    const key = options.headers?.['Idempotency-Key'] ?? newKey();
    const headers = { ...options.headers, 'Idempotency-Key': key };
    let mayBeQueued = false;
    for (let tries = 0; ; tries += 1) {
      try {
        return await submit({ ...options, headers });
      } catch (error) {
        if (!isGatewayError(error)) throw error;
        // What an earlier try may have queued, no later refusal takes back.
        mayBeQueued ||= error.sent && leavesOpen(error);
        const backoffMs = backoffsMs[tries];
        if (backoffMs === undefined || !isLost(error)) throw mayBeQueued ? notKnown(error, key) : error;
        // A signal that fires during the pause is reported as the next try would report it.
        await pause(backoffMs, options.signal).catch(() => undefined);
      }
    }
  };
}

/** Whether the call ended without an answer, so that its outcome is unknown. */
export function isLost(error: GatewayError): boolean {
  return ['connection_failed', 'timeout'].includes(error.errorCode);
}

/** Whether the gateway may have stored what was submitted: there was no answer of its own, or it failed over it. */
function leavesOpen(error: GatewayError): boolean {
  const { errorCode, status } = error;
  return isLost(error) || ['aborted', 'invalid_answer'].includes(errorCode) || isBrokenOff(status);
}

const isBrokenOff = (status: number | null): boolean => status !== null && [500, 502, 504].includes(status);

function notKnown(error: GatewayError, key: string): GatewayError {
  const remedy = `Submitted again with the Idempotency-Key ${key}, it is queued once at most.`;
  const detail = `${error.detail} Whether it was queued is not known. ${remedy}`;
  return amended(error, { detail, idempotencyKey: key });
}

/** `randomUUID` would be shorter, but pages that a gateway serves over plain HTTP to other machines have none. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
