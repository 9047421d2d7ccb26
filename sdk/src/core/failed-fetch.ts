import { readHandshake } from './failed-handshake.js';
import type { FailedFetch } from './surface.js';

/** Explains a failure of Node's `fetch`, or of a similar one. */
export function readFailure(reason: unknown, baseUrl: string): FailedFetch {
  const handshake = reason instanceof Error ? readHandshake(reason, baseUrl) : null;
  if (handshake) return handshake;
  const isHopeless = reason instanceof Error && isBlockedPort(reason);
  return { words: `${wordsOf(reason)}.`, isUnreached: isUnreached(reason), isHopeless };
}

/** Returns the words of a reason; some have only a code and no message. */
function wordsOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  if (isBlockedPort(reason))
    return 'fetch refuses to call this port (other protocols use it); only another one can be reached';
  const code = 'code' in reason ? String(reason.code) : reason.name;
  return reason.message || code;
}

/** Returns whether the call failed before there was a connection. A name with several addresses fails with one error for each. */
function isUnreached(reason: unknown): boolean {
  if (reason instanceof AggregateError) return reason.errors.every(isUnreached);
  if (!(reason instanceof Error)) return false;
  if (isBlockedPort(reason)) return true;
  const { syscall, code } = reason as Error & { syscall?: unknown; code?: unknown };
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/**
 * Recognises undici's whole message for a port that fetch blocks: https://fetch.spec.whatwg.org/#port-blocking. A browser gives
 * none.
 */
const isBlockedPort = (reason: Error): boolean => reason.message === 'bad port';
