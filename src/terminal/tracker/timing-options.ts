import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GivenTimings } from './tracker-timings.js';

/** The timings of a watched terminal that a command line gives. */
export interface TimingOptions {
  tuiWatchPollIntervalSeconds?: number;
  tuiStabilityThresholdSeconds?: number;
  tuiCompletionStabilitySeconds?: number;
  tuiUnknownToStalledTimeoutSeconds?: number;
  tuiStaleActiveRecoverySeconds?: number;
  tuiFinalStableActiveRecoverySeconds?: number;
}

export const givenTimings = (options: TimingOptions): GivenTimings => ({
  watch_poll_interval_seconds: options.tuiWatchPollIntervalSeconds,
  stability_threshold_seconds: options.tuiStabilityThresholdSeconds,
  completion_stability_seconds: options.tuiCompletionStabilitySeconds,
  unknown_to_stalled_timeout_seconds: options.tuiUnknownToStalledTimeoutSeconds,
  stale_active_recovery_seconds: options.tuiStaleActiveRecoverySeconds,
  final_stable_active_recovery_seconds: options.tuiFinalStableActiveRecoverySeconds,
});

/** The six timings of a tracked terminal (docs/decisions.md#tracking-options). */
const timings = [
  ['watch-poll-interval', 0.5],
  ['stability-threshold', 1],
  ['completion-stability', 1],
  ['unknown-to-stalled-timeout', 30],
  ['stale-active-recovery', 5],
  ['final-stable-active-recovery', 20],
] as const;

/** Adds the flags of {@link TimingOptions}. */
export function addTimingOptions(command: Command): Command {
  for (const [name, seconds] of timings)
    command.addOption(
      new Option(`--tui-${name}-seconds <seconds>`, `terminal tracking (default: ${seconds})`).argParser(
        toSeconds,
      ),
    );
  return command;
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return seconds;
}
