import type { DesiredConfig } from '../../session/desired-config.js';
import {
  type GivenTimings,
  type TimingName,
  trackerTimings,
} from '../../terminal/tracker/tracker-timings.js';

/** In seconds; null and undefined leave a timing as it was. */
export type WishedTimings = Readonly<Partial<Record<TimingName, number | null | undefined>>>;

type StoredTimings = NonNullable<DesiredConfig['desired_tui_tracking_timings']>;

/** Pure: the flags of `houmao-gateway` that say so. */
export const timingFlags = (wished: WishedTimings): string[] =>
  Object.entries(wished).flatMap(([name, seconds]) =>
    seconds === null || seconds === undefined ? [] : [`--tui-${name.replaceAll('_', '-')}`, String(seconds)],
  );

/** Pure: what later starts use: the wish, what was stored, the defaults. */
export function timingsAfter(wished: WishedTimings, stored: GivenTimings): StoredTimings {
  const timings = trackerTimings(wished, stored);
  return {
    watch_poll_interval_seconds: timings.watchPollIntervalSeconds,
    stability_threshold_seconds: timings.stabilityThresholdSeconds,
    completion_stability_seconds: timings.completionStabilitySeconds,
    unknown_to_stalled_timeout_seconds: timings.unknownToStalledTimeoutSeconds,
    stale_active_recovery_seconds: timings.staleActiveRecoverySeconds,
    final_stable_active_recovery_seconds: timings.finalStableActiveRecoverySeconds,
  };
}
