import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../../../sdk/dist/core/retry/retry-after.js';

const now = new Date('2026-03-13T00:00:00Z');

test.each([
  ['1', 1000],
  [' 120 ', 120_000],
  ['Fri, 13 Mar 2026 00:00:05 GMT', 5000],
  ['Thu, 12 Mar 2026 00:00:00 GMT', 0],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j ms', (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));
