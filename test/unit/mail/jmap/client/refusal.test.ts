import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CredentialRefusal,
  type Denial,
  denialIn,
  digestOf,
  isHeldBack,
  pauseAfter,
  refusedAgain,
} from '../../../../../src/mail/jmap/client/refusal.js';
import { recordedPair } from '../../../../support/jmap/stalwart-records.js';

const denials = fc.constantFrom<Denial>('credential', 'caller');
const digest = digestOf('server', 'Basic x');
const hour = 3_600_000;

describe('which refusal it is', () => {
  test.each([
    ['session', 'wrong password', 'credential'],
    ['limits', 'the 101st wrong password', 'caller'],
    ['limits', 'from then on everybody', 'caller'],
    ['limits', 'more than 1000 requests', null],
    ['limits', 'more than 50 MB', null],
    ['session', 'the management API of 0.15', null],
    ['session', 'an administrator', null],
  ] as const)('as a Stalwart says it: %s, %s', (matter, shows, denial) => {
    const { status, headers, body } = recordedPair(matter, shows).answer;
    const retryAfter = 'retry-after' in headers ? Number(headers['retry-after']) : null;
    expect(denialIn({ status, title: (body as { title?: string }).title ?? null, retryAfter })).toBe(denial);
  });

  test('nothing but 401, 403 and a 429 that names no time is one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }).filter((status) => status !== 401 && status !== 403),
        fc.option(fc.string()),
        fc.nat(),
        (status, title, retryAfter) => {
          expect(denialIn({ status, title, retryAfter })).toBeNull();
          if (status !== 429) expect(denialIn({ status, title, retryAfter: null })).toBeNull();
        },
      ),
    );
  });
});

describe('how long a credential is held back', () => {
  test('ever longer, and a day at most; what is no fault of the credential an hour at most', () => {
    fc.assert(
      fc.property(denials, fc.integer({ min: 1, max: 500 }), (denial, count) => {
        const pause = pauseAfter(denial, count);
        expect(pauseAfter(denial, count + 1)).toBeGreaterThanOrEqual(pause);
        expect(pause).toBeLessThanOrEqual(denial === 'credential' ? 24 * hour : hour);
        if (denial === 'credential') expect(pause).toBeGreaterThanOrEqual(hour);
        else expect(pause).toBeGreaterThan(0);
      }),
    );
  });

  test('of 20 agents with a wrong password each, a server that counts to 100 a day bans none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 * hour }), (every) => {
        let refusal: CredentialRefusal | null = null;
        let shown = 0;
        for (let now = 0; now < 24 * hour; now += Math.max(every, 60_000)) {
          if (isHeldBack(refusal, digest, now)) continue;
          shown += 1;
          refusal = refusedAgain(refusal, { digest, denial: 'credential', words: 'no' }, now);
        }
        expect(shown * 20).toBeLessThanOrEqual(100);
      }),
    );
  });

  test('another credential begins again, and a clock that was set back holds nothing for ever', () => {
    fc.assert(
      fc.property(denials, fc.integer({ min: 1, max: 100 }), fc.nat(), (denial, count, now) => {
        const before = { digest, denial, words: 'no', count, until: now };
        const again = refusedAgain(before, { digest, denial, words: 'no' }, now);
        expect(again.count).toBe(count + 1);
        expect(isHeldBack(again, digest, now)).toBe(true);
        expect(isHeldBack(again, digest, again.until)).toBe(false);
        expect(isHeldBack(again, digest, now - 25 * hour)).toBe(false);
        expect(isHeldBack(again, digestOf('server', 'Basic y'), now)).toBe(false);
        expect(
          refusedAgain(before, { digest: digestOf('server', 'Basic y'), denial, words: 'no' }, now).count,
        ).toBe(1);
      }),
    );
  });
});
