import { randomBytes, randomUUID } from 'node:crypto';
import { toCompactStamp } from './timestamps.js';

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** `gwreq-20260313-000000Z-deadbeef` (gateway §2.1). 32 random bits a second: the caller draws again on a clash. */
export const newRequestId = (now: Date): string => `gwreq-${toCompactStamp(now)}Z-${hex(4)}`;

/** `turn-0f3c9d2b7a11` (execution §6.7). */
export const newTurnId = (): string => `turn-${hex(6)}`;

/** `greminder-deadbeefcafe` (gateway §4.1). */
export const newReminderId = (): string => `greminder-${hex(6)}`;

/** `claude_headless-20260502-091407Z-1f0c2b9d` (managed-agent §2.3). */
export const newSessionId = (backend: string, now: Date): string =>
  `${backend}-${toCompactStamp(now)}Z-${hex(4)}`;

export const newUuid = (): string => randomUUID();

let lastHttpRequest = 0n;
/** `http-` and a hex nanosecond clock, unique in this process (gateway §3.2). */
export function newHttpRequestId(): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  lastHttpRequest = now > lastHttpRequest ? now : lastHttpRequest + 1n;
  return `http-${lastHttpRequest.toString(16)}`;
}
