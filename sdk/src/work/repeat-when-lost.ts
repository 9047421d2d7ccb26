import { pause } from '../core/limits.js';
import { amended, WorkError } from './work-error.js';

/** Pauses before the second and the third try, in milliseconds. */
const backoffsMs = [100, 400];

interface KeyedOptions {
  headers?: { 'Idempotency-Key'?: string | undefined } | undefined;
  signal?: AbortSignal | undefined;
}

/** What a call does once, for people: a request is queued, a message delivered, an agent launched. */
export type Deed = 'queued' | 'delivered' | 'begun' | 'launched';

/**
 * Gives every call an `Idempotency-Key` (the caller's own, or a new one) and repeats it with that key when the answer was
 * lost: the server then answers what it did and does nothing twice. An HTTP status is an answer and is never repeated.
 * Each of the three tries may take `timeoutMs`.
 */
export function repeatWhenLost<Options extends KeyedOptions, Body>(
  call: (options: Options) => Promise<Body>,
  deed: Deed,
): (options: Options) => Promise<Body> {
  return async (options) => {
    const key = options.headers?.['Idempotency-Key'] ?? newKey();
    const headers = { ...options.headers, 'Idempotency-Key': key };
    let mayBeDone = false;
    for (let tries = 0; ; tries += 1) {
      try {
        return await call({ ...options, headers });
      } catch (error) {
        if (!(error instanceof WorkError)) throw error;
        // Delivered, whatever became of the earlier tries: with the key what is missing is made up for what is missing.
        if (error.done) throw amended(error, { idempotencyKey: key });
        // What an earlier try may have done, no later refusal takes back.
        mayBeDone ||= error.sent && leavesOpen(error, deed);
        const backoffMs = backoffsMs[tries];
        if (backoffMs === undefined || !isLost(error)) throw mayBeDone ? notKnown(error, key, deed) : error;
        // A signal that fires during the pause is reported as the next try would report it.
        await pause(backoffMs, options.signal).catch(() => undefined);
      }
    }
  };
}

/** Whether the call ended without an answer, so that its outcome is unknown. */
export function isLost(error: WorkError): boolean {
  return ['connection_failed', 'timeout'].includes(error.errorCode);
}

/** Whether the server may have done it: there was no answer of its own, or it failed over it. */
function leavesOpen(error: WorkError, deed: Deed): boolean {
  const { errorCode, status } = error;
  return isLost(error) || ['aborted', 'invalid_answer'].includes(errorCode) || isBrokenOff(status, deed);
}

/** A 502 to a message that was not delivered is the mailbox's own refusal. */
const isBrokenOff = (status: number | null, deed: Deed): boolean =>
  status !== null && (deed === 'delivered' ? [500, 504] : [500, 502, 504]).includes(status);

function notKnown(error: WorkError, key: string, deed: Deed): WorkError {
  const remedy = `Submitted again with the Idempotency-Key ${key}, it is ${deed} once at most.`;
  const detail = `${error.detail} Whether it was ${deed} is not known. ${remedy}`;
  return amended(error, { detail, idempotencyKey: key });
}

/** `randomUUID` would be shorter, but pages that a gateway serves over plain HTTP to other machines have none. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
