import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  planAfter,
  retryAfterOf,
  type TryResult,
} from '../../../../../src/mail/jmap/client/failed-request.js';

const limit = 'urn:ietf:params:jmap:error:limit';
const outcome = (more: Partial<TryResult>): TryResult => ({
  status: null,
  problem: null,
  denial: null,
  retryAfter: null,
  outcomeUnknown: true,
  ...more,
});
const look = { changes: false, tries: 1, left: 10_000 };
const change = { ...look, changes: true };

test.each<[string, Partial<TryResult>, typeof look, unknown]>([
  ['a refused credential is read again', { status: 401, denial: 'credential' }, change, 'new_credential'],
  ['once', { status: 401, denial: 'credential' }, { ...change, tries: 2 }, 'no'],
  [
    'one who is not let in does not try again',
    { status: 429, denial: 'caller' },
    { ...look, tries: 2 },
    'no',
  ],
  ['an address that is gone is asked for again', { status: 404 }, change, 'new_session'],
  ['too many at a time, as a status', { status: 429, outcomeUnknown: false }, change, { after: 100 }],
  ['or as a problem', { status: 400, problem: limit, outcomeUnknown: false }, change, { after: 100 }],
  ['ever later', { status: 429 }, { ...change, tries: 3 }, { after: 400 }],
  ['as the server asks', { status: 429, retryAfter: 3 }, change, { after: 3000 }],
  ['and not beyond the limit', { status: 429, retryAfter: 11 }, change, 'no'],
  ['a server without time is asked again for a look', { status: 503 }, look, { after: 100 }],
  ['and not for a change', { status: 503 }, change, 'no'],
  ['a lost look is repeated', {}, look, { after: 100 }],
  ['once', {}, { ...look, tries: 2 }, 'no'],
  ['a lost change is not', {}, change, 'no'],
  ['unless it was never sent', { outcomeUnknown: false }, change, { after: 100 }],
  ['another refusal stands', { status: 400 }, look, 'no'],
  ['also one of a fault', { status: 500 }, look, 'no'],
])('%s', (_what, more, call, plan) => {
  expect(planAfter(outcome(more), call)).toEqual(plan);
});

test('it ends, and no change that may be done is repeated but for what the server says it did not begin', () => {
  const answered = fc.record({
    status: fc.constantFrom(200, 400, 401, 403, 404, 413, 429, 500, 502, 503, 504),
    problem: fc.option(fc.constantFrom(limit, 'urn:ietf:params:jmap:error:notRequest')),
    denial: fc.option(fc.constantFrom('credential' as const, 'caller' as const)),
    retryAfter: fc.option(fc.nat(20)),
    outcomeUnknown: fc.boolean(),
  });
  // Without an answer nobody is refused by one.
  const outcomes = fc.oneof(
    answered,
    fc.boolean().map((outcomeUnknown) => outcome({ outcomeUnknown })),
  );
  fc.assert(
    fc.property(outcomes, fc.boolean(), fc.nat(10), fc.nat(20_000), (given, changes, tries, left) => {
      const plan = planAfter(given, { changes, tries: tries + 1, left });
      if (tries + 1 >= 5 || (given.denial !== null && tries > 0)) expect(plan).toBe('no');
      if (typeof plan === 'object') expect(plan.after).toBeLessThan(left);
      if (changes && given.status === null && given.outcomeUnknown) expect(plan).toBe('no');
    }),
  );
});

test.each([
  ['3', 3],
  [' 0 ', 0],
  [null, null],
  ['', null],
  ['-1', null],
  ['Wed, 21 Oct 2026 07:28:00 GMT', null],
])('a Retry-After of %o', (header, seconds) => {
  expect(retryAfterOf(header)).toBe(seconds);
});
