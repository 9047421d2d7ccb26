import { describe, expect, it } from 'vitest';
import { TimingFault, trackerTimings } from '../../../../src/terminal/tracker/tracker-timings.js';

const defaults = {
  watchPollIntervalSeconds: 0.5,
  stabilityThresholdSeconds: 1,
  completionStabilitySeconds: 1,
  unknownToStalledTimeoutSeconds: 30,
  staleActiveRecoverySeconds: 5,
  finalStableActiveRecoverySeconds: 20,
};

describe('timings', () => {
  it('are the defaults where nothing is given', () => {
    expect(trackerTimings()).toEqual(defaults);
    expect(
      trackerTimings({ watch_poll_interval_seconds: null, stability_threshold_seconds: undefined }),
    ).toEqual(defaults);
  });

  it('come each from the first source that gives it', () => {
    const explicit = { stability_threshold_seconds: 2, stale_active_recovery_seconds: null };
    const persisted = { stability_threshold_seconds: 3, stale_active_recovery_seconds: 7 };
    expect(trackerTimings(explicit, persisted)).toEqual({
      ...defaults,
      stabilityThresholdSeconds: 2,
      staleActiveRecoverySeconds: 7,
    });
  });

  it('each have a name of their own', () => {
    const given = {
      watch_poll_interval_seconds: 11,
      stability_threshold_seconds: 12,
      completion_stability_seconds: 13,
      unknown_to_stalled_timeout_seconds: 14,
      stale_active_recovery_seconds: 15,
      final_stable_active_recovery_seconds: 16,
    };
    expect(Object.values(trackerTimings(given))).toEqual([11, 12, 13, 14, 15, 16]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, true, '1', []])('are never %o', (value) => {
    const attempt = () => trackerTimings({}, { completion_stability_seconds: value });
    expect(attempt).toThrow(TimingFault);
    expect(attempt).toThrow('completion_stability_seconds must be a finite number of seconds above 0.');
  });
});
