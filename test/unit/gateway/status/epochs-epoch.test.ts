import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstEpoch, needsReconciliation, observeInstance } from '../../../../src/gateway/status/epochs.js';

const instance = fc.constantFrom('a', 'b', 'c', null);
const record = fc.record({
  epoch: fc.integer({ min: 1, max: 9 }),
  reconciledEpoch: fc.integer({ min: 1, max: 9 }),
  lastInstanceId: instance,
});

test('only another known instance is a new epoch', () => {
  fc.assert(
    fc.property(record, instance, (before, observed) => {
      const after = observeInstance(before, observed);
      const changed =
        observed !== null && before.lastInstanceId !== null && observed !== before.lastInstanceId;
      expect(after.epoch).toBe(before.epoch + (changed ? 1 : 0));
      expect(after.lastInstanceId).toBe(observed ?? before.lastInstanceId);
      expect(after.reconciledEpoch).toBe(before.reconciledEpoch);
    }),
  );
});

test('an agent that goes and comes back is the same one; looking twice changes nothing', () => {
  fc.assert(
    fc.property(record, instance, (before, observed) => {
      const after = observeInstance(before, observed);
      expect(observeInstance(observeInstance(after, null), observed)).toBe(after);
    }),
  );
});

describe('where counting starts', () => {
  test('at 1 without anything published', () => {
    expect(firstEpoch(null)).toEqual({ epoch: 1, reconciledEpoch: 1, lastInstanceId: null });
  });
  test('at what an earlier gateway published, and a first look at the same instance blocks nothing', () => {
    const first = firstEpoch({ epoch: 4, instanceId: 'x' });
    expect(first).toEqual({ epoch: 4, reconciledEpoch: 4, lastInstanceId: 'x' });
    expect(needsReconciliation(observeInstance(first, 'x'))).toBe(false);
    expect(needsReconciliation(observeInstance(first, 'y'))).toBe(true);
  });
  test('an epoch below 1 counts as 1', () => {
    expect(firstEpoch({ epoch: 0, instanceId: null }).epoch).toBe(1);
  });
});
