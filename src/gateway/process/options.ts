import { execFileSync } from 'node:child_process';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readPort } from '../../foundation/fetch-ports.js';
import { version } from '../../foundation/version.js';
import type { GivenTimings } from '../../terminal/tracker/tracker-timings.js';

export interface GatewayOptions {
  gatewayRoot: string;
  host: '127.0.0.1' | '0.0.0.0';
  port: number;
  allowedHost: string[];
  allowedOrigin: string[];
  /** Users of this machine, by number, who may call beside root and the one who runs the gateway. */
  allowedUser: number[];
  /** Delete finished requests after so many days; without it nothing is ever deleted. */
  retainDays?: number;
  tuiWatchPollIntervalSeconds?: number;
  tuiStabilityThresholdSeconds?: number;
  tuiCompletionStabilitySeconds?: number;
  tuiUnknownToStalledTimeoutSeconds?: number;
  tuiStaleActiveRecoverySeconds?: number;
  tuiFinalStableActiveRecoverySeconds?: number;
}

/** How a terminal is to be watched, as far as the command line says. */
export const givenTimings = (options: GatewayOptions): GivenTimings => ({
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

function toPort(text: string): number {
  const read = readPort(text);
  if ('trouble' in read) throw new InvalidArgumentError(read.trouble);
  return read.port;
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw new InvalidArgumentError('It is a number of seconds above 0.');
  return seconds;
}

function toDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1)
    throw new InvalidArgumentError('It is a whole number of days from 1 to 99999.');
  return days;
}

function toOrigin(text: string, all: string[]): string[] {
  if (!/^https?:\/\/[^/\s]+$/.test(text))
    throw new InvalidArgumentError('It is scheme://host[:port], without a path.');
  return [...all, text];
}

function toUser(text: string, all: number[]): number[] {
  const found = /^\d{1,10}$/.test(text) ? text : userNumber(text);
  if (found === null) throw new InvalidArgumentError(`There is no user ${text} on this machine.`);
  return [...all, Number(found)];
}

/** @returns null when no user has that name. */
function userNumber(name: string): string | null {
  try {
    return execFileSync('id', ['-u', '--', name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

/** @throws {CommanderError} also for --help and --version; its `exitCode` says which. */
export function parseGatewayOptions(argv: readonly string[]): GatewayOptions {
  const command = new Command('houmao-gateway')
    .description(
      'Serves one agent: a durable prompt queue, prompt control and the agent gateway contract over HTTP.',
    )
    .version(version)
    .requiredOption('--gateway-root <path>', 'the session root, or the gateway folder in it (required)')
    .addOption(
      new Option('--host <host>', 'where to listen (required)')
        .choices(['127.0.0.1', '0.0.0.0'])
        .makeOptionMandatory(),
    )
    .requiredOption('--port <port>', 'port to listen on; 0 takes any free port (required)', toPort)
    .option(
      '--allowed-host <name>',
      'further name this gateway may be called by (repeatable)',
      (name, all: string[]) => [...all, name.toLowerCase()],
      [],
    )
    .option('--allowed-origin <origin>', 'web origin whose pages may call (repeatable)', toOrigin, [])
    .option(
      '--allowed-user <user>',
      'further user of this machine who may call, by name or number (repeatable)',
      toUser,
      [],
    )
    .option(
      '--retain-days <days>',
      'forget finished requests after so many days; left out, nothing is deleted',
      toDays,
    )
    .exitOverride()
    .showHelpAfterError('(houmao-gateway --help shows every flag)');
  for (const [name, seconds] of timings) {
    command.addOption(
      new Option(`--tui-${name}-seconds <seconds>`, `terminal tracking (${seconds} when left out)`).argParser(
        toSeconds,
      ),
    );
  }
  return command.parse([...argv], { from: 'user' }).opts<GatewayOptions>();
}

export const isUsageError = (error: unknown): error is CommanderError => error instanceof CommanderError;
