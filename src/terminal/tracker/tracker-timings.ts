/** The timings of a watched terminal, in seconds. */
export interface TrackerTimings {
  /** The pause between two observations. */
  watchPollIntervalSeconds: number;
  /** How long all observations have to stay the same to be stable. */
  stabilityThresholdSeconds: number;
  /** How long the screen has to stay the same for a turn to count as done. */
  completionStabilitySeconds: number;
  /** How long a screen may not be understood before the terminal counts as stalled. */
  unknownToStalledTimeoutSeconds: number;
  staleActiveRecoverySeconds: number;
  finalStableActiveRecoverySeconds: number;
}

/** The names of the timings in requests and files. */
export type TimingName =
  | 'watch_poll_interval_seconds'
  | 'stability_threshold_seconds'
  | 'completion_stability_seconds'
  | 'unknown_to_stalled_timeout_seconds'
  | 'stale_active_recovery_seconds'
  | 'final_stable_active_recovery_seconds';

export type GivenTimings = Readonly<Partial<Record<TimingName, unknown>>>;

const timings: readonly { name: TimingName; key: keyof TrackerTimings; otherwise: number }[] = [
  { name: 'watch_poll_interval_seconds', key: 'watchPollIntervalSeconds', otherwise: 0.5 },
  { name: 'stability_threshold_seconds', key: 'stabilityThresholdSeconds', otherwise: 1 },
  { name: 'completion_stability_seconds', key: 'completionStabilitySeconds', otherwise: 1 },
  { name: 'unknown_to_stalled_timeout_seconds', key: 'unknownToStalledTimeoutSeconds', otherwise: 30 },
  { name: 'stale_active_recovery_seconds', key: 'staleActiveRecoverySeconds', otherwise: 5 },
  { name: 'final_stable_active_recovery_seconds', key: 'finalStableActiveRecoverySeconds', otherwise: 20 },
];

/** A timing that is not a number above zero. */
export class TimingFault extends Error {
  override readonly name = 'TimingFault';
}

/**
 * Takes each timing from the first of `sources` that gives it, else its default; undefined and null give nothing.
 * @throws {TimingFault} naming the timing that is not a finite number above zero, in any source.
 */
export function trackerTimings(...sources: readonly GivenTimings[]): TrackerTimings {
  const chosen = timings.map(({ name, key, otherwise }) => {
    const given = sources.map((source) => secondsOf(name, source[name])).find((value) => value !== null);
    return [key, given ?? otherwise] as const;
  });
  return Object.fromEntries(chosen) as unknown as TrackerTimings;
}

function secondsOf(name: TimingName, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new TimingFault(`${name} must be a finite number of seconds above 0.`);
}
