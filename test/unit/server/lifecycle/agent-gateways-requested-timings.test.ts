import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timingFlags, timingsAfter } from '../../../../src/server/lifecycle/agent-gateways.js';

const seconds = fc.double({ min: 0.001, max: 1000, noNaN: true });
const names = [
  'watch_poll_interval_seconds',
  'stability_threshold_seconds',
  'completion_stability_seconds',
  'unknown_to_stalled_timeout_seconds',
  'stale_active_recovery_seconds',
  'final_stable_active_recovery_seconds',
] as const;
const requests = fc.dictionary(fc.constantFrom(...names), fc.option(seconds));

test('a requested timing is kept, else the stored one; every timing has a value', () => {
  fc.assert(
    fc.property(requests, requests, (requestedOf, stored) => {
      const after = timingsAfter(requestedOf, stored);
      expect(Object.keys(after).sort()).toEqual([...names].sort());
      for (const name of names) {
        const given = requestedOf[name] ?? stored[name];
        if (given === null || given === undefined) expect(after[name]).toBeGreaterThan(0);
        else expect(after[name]).toBe(given);
      }
    }),
  );
});

test('only a requested timing becomes a flag', () => {
  expect(timingFlags({ watch_poll_interval_seconds: 0.25, stability_threshold_seconds: null })).toEqual([
    '--tui-watch-poll-interval-seconds',
    '0.25',
  ]);
});
