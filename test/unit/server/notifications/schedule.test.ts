import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attempt, AttemptCode } from '../../../../src/server/notifications/notification.js';
import { afterAttempt, patience } from '../../../../src/server/notifications/schedule.js';

const second = 1000;
const hour = 3600 * second;
const failures = ['http_status', 'redirected', 'timeout', 'unreachable', 'private_address'] as const;
const attempt = (code: AttemptCode, at = 0, retryAfterSeconds: number | null = null): Attempt => ({
  at,
  code,
  status: null,
  detail: 'so it was',
  retryAfterSeconds,
});
const failure = fc.constantFrom(...failures);
const usual = { attempts: 1, failingSince: null, retries: true, random: 0 };

describe('what becomes of a message', () => {
  test('is tried again after the pauses of the standard, and is given up after the last', () => {
    const pauses = Array.from({ length: 10 }, (_, index) => {
      const { nextAt } = afterAttempt({ ...usual, attempt: attempt('timeout'), attempts: index + 1 });
      return nextAt === null ? null : nextAt / second;
    });
    expect(pauses).toEqual([5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, null]);
  });

  test('that arrived has ended, and nothing fails any more', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(), fc.boolean(), (attempts, since, retries) => {
        const given = {
          ...usual,
          attempts,
          failingSince: since,
          retries,
          attempt: attempt('delivered', since),
        };
        expect(afterAttempt(given)).toEqual({
          state: 'delivered',
          nextAt: null,
          failingSince: null,
          disabledReason: null,
        });
      }),
    );
  });

  test('comes at most a tenth later than its pause, never earlier, and as late as the receiver asks', () => {
    fc.assert(
      fc.property(
        failure,
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.nat(200_000)),
        fc.nat(1e12),
        (code, attempts, random, asked, at) => {
          const plain = afterAttempt({ ...usual, attempts, attempt: attempt(code, at) });
          const { nextAt, state } = afterAttempt({
            ...usual,
            attempts,
            random,
            attempt: attempt(code, at, asked),
          });
          const pause = plain.nextAt! - at;
          const wanted = Math.min((asked ?? 0) * second, 24 * hour);
          expect(state).toBe('pending');
          expect(nextAt! - at).toBeGreaterThanOrEqual(Math.max(pause, wanted));
          expect(nextAt! - at).toBeLessThanOrEqual(Math.max(pause * 1.1 + 1, wanted));
        },
      ),
    );
  });

  test('that a program of this machine did not take is not tried again, and disables nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom('no_program', 'program_failed', 'timeout'), fc.nat(9), (code, attempts) => {
        const given = { ...usual, attempts, retries: false, failingSince: 0 } as const;
        const decided = afterAttempt({ ...given, attempt: attempt(code as AttemptCode, 2 * patience) });
        expect(decided).toMatchObject({ state: 'failed', nextAt: null, disabledReason: null });
      }),
    );
  });
});

describe('a webhook', () => {
  test('is disabled by 410 at once', () => {
    const decided = afterAttempt({ ...usual, attempt: attempt('gone') });
    expect([decided.state, decided.disabledReason !== null]).toEqual(['failed', true]);
  });

  test('is disabled when every attempt of five days failed, and not before, whatever came of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...failures, 'delivered' as const), fc.nat(40 * hour)), {
          maxLength: 30,
        }),
        (steps) => {
          let at = 0;
          let failingSince: number | null = null;
          let firstFailure: number | null = null;
          for (const [code, pause] of steps) {
            at += pause;
            firstFailure = code === 'delivered' ? null : (firstFailure ?? at);
            const decided = afterAttempt({ ...usual, failingSince, attempt: attempt(code, at) });
            expect(decided.disabledReason !== null).toBe(
              firstFailure !== null && at - firstFailure >= patience,
            );
            failingSince = decided.failingSince;
            expect(failingSince).toBe(firstFailure);
          }
        },
      ),
    );
  });
});
