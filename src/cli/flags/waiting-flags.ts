import { type Command, Option } from 'commander';
import { toSeconds } from './durations.js';

/** How long a command waits for the end of work; in seconds. */
export interface WaitingFlags {
  timeout?: number;
  silenceLimit: number;
}

/** Timers of Node end at 24.8 days. */
const longestWait = 23 * 86_400;

export const addWaitingFlags = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--timeout <duration>',
        'stop waiting after this long, such as 5m (default: never)',
      ).argParser(toSeconds({ minimum: 1, maximum: longestWait })),
    )
    .addOption(
      new Option(
        '--silence-limit <duration>',
        'stop waiting when gateway or server have not answered for this long',
      )
        .argParser(toSeconds({ minimum: 1, maximum: longestWait }))
        .default(60, '60s'),
    );

/** The same for the SDK. */
export const limitsOf = ({ timeout, silenceLimit }: WaitingFlags) => ({
  timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  silenceMs: silenceLimit * 1000,
});
