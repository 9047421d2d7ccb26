import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { oncePerSecond, toCompactStamp } from './clock.js';

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Returns `bytes` random bytes, as hex digits. */
export type RandomHex = (bytes: number) => string;

/** Makes a source that draws random bytes in advance: asking the system for four bytes costs as much as for a thousand. */
export function drawnHex(): RandomHex {
  const pool = Buffer.alloc(1024);
  let used = pool.length;
  return (bytes) => {
    if (used + bytes > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.toString('hex', used - bytes, used);
  };
}

/**
 * Makes a source of ids like `gwreq-20260313-000000Z-deadbeef`, whose digits at the end are 10 bits of millisecond and 22 random
 * bits (docs/decisions.md#ids): the caller draws again when the id is taken.
 */
export function requestIds(random: RandomHex = drawnHex()): (now: Date) => string {
  const stampOf = oncePerSecond(toCompactStamp);
  return (now) => {
    const bits = now.getUTCMilliseconds() * 2 ** 22 + (Number.parseInt(random(3), 16) & 0x3fffff);
    return `gwreq-${stampOf(now)}Z-${bits.toString(16).padStart(8, '0')}`;
  };
}

/** Makes an id such as `turn-0f3c9d2b7a11`. */
export const newTurnId = (): string => `turn-${hex(6)}`;

/** Makes an id such as `greminder-deadbeefcafe`. */
export const newReminderId = (): string => `greminder-${hex(6)}`;

/** Makes an id such as `claude_headless-20260502-091407Z-1f0c2b9d`. */
export const newSessionId = (backend: string, now: Date): string =>
  `${backend}-${toCompactStamp(now)}Z-${hex(4)}`;

export const newUuid = (): string => randomUUID();

let lastHttpRequest = 0n;
/** Makes an id of `http-` and a hexadecimal nanosecond clock, unique in this process. */
export function newHttpRequestId(): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  lastHttpRequest = now > lastHttpRequest ? now : lastHttpRequest + 1n;
  return `http-${lastHttpRequest.toString(16)}`;
}
