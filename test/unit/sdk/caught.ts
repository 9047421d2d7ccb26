import { GatewayError } from '@houmao/sdk';
import { assert } from 'vitest';

/** The GatewayError that a call rejects with; anything else fails the test. */
export async function caught(call: Promise<unknown>): Promise<GatewayError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof GatewayError, `expected a GatewayError, got ${String(error)}`);
  return error;
}
