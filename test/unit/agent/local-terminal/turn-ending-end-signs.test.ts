import { expect, test } from 'vitest';
import {
  endedByStop,
  recoveredSigns,
  undeliveredSigns,
} from '../../../../src/agent/local-terminal/turn-ending.js';

test.each([
  ['removed', false, { notTaken: true, outcomeUnknown: null, stranded: false }],
  ['removed', true, { notTaken: false, outcomeUnknown: expect.any(String), stranded: true }],
  ['stands', false, { notTaken: false, outcomeUnknown: expect.any(String), stranded: true }],
  ['absent', false, { notTaken: false, outcomeUnknown: expect.any(String), stranded: true }],
  ['absent', true, { notTaken: false, outcomeUnknown: expect.any(String), stranded: true }],
] as const)(
  'a prompt that a killed gateway was typing, %s from the composer, in the transcript: %s',
  (removal, echoed, signs) => {
    const error = { code: 'gateway_restarted', detail: expect.stringContaining('it is not replayed.') };
    expect(recoveredSigns(removal, echoed)).toMatchObject({
      reportedOutcome: { outcome: 'failed', error },
      ...signs,
    });
  },
);

test('what an interrupted agent put back and nobody could take out may still be sent by somebody', () => {
  expect(endedByStop(null, true).stranded).toBe(true);
  expect(endedByStop(null, false)).toMatchObject({ stranded: false, completion: null });
});

test('an undelivered prompt is not taken, or it is not known; what may still stand there is said', () => {
  const failed = { outcome: 'failed', detail: 'it was swallowed', stranded: true } as const;
  expect(undeliveredSigns(failed)).toMatchObject({
    notTaken: true,
    stranded: true,
    outcomeUnknown: null,
    startFault: { detail: expect.stringMatching(/it was swallowed; the pasted text may still be/) },
  });
  expect(undeliveredSigns({ ...failed, stranded: false }).startFault?.detail).toBe(
    'The prompt was not delivered: it was swallowed.',
  );
  expect(undeliveredSigns({ outcome: 'unconfirmed', detail: 'no sign' })).toMatchObject({
    notTaken: false,
    stranded: true,
    outcomeUnknown: 'no sign',
    startFault: null,
  });
});
