import { Command, InvalidArgumentError } from 'commander';
import { version } from '../../foundation/version.js';
import { addListenerOptions, type ListenerOptions } from '../../http/program/listener-options.js';
import { addTimingOptions, type TimingOptions } from '../../terminal/tracker/timing-options.js';

export interface GatewayOptions extends ListenerOptions, TimingOptions {
  gatewayRoot: string;
  /** Delete finished requests after so many days; without it nothing is ever deleted. */
  retainDays?: number;
}

function toDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1)
    throw new InvalidArgumentError('It must be a whole number of days from 1 to 99999.');
  return days;
}

/** @throws {CommanderError} also for --help and --version; its `exitCode` says which. */
export function parseGatewayOptions(argv: readonly string[]): GatewayOptions {
  const command = new Command('houmao-gateway')
    .description(
      'Serves one agent: a durable prompt queue, prompt control and the agent gateway contract over HTTP.',
    )
    .version(version)
    .requiredOption('--gateway-root <path>', 'the session root, or the gateway folder in it (required)');
  addListenerOptions(command, null)
    .option('--retain-days <days>', 'delete finished requests after this many days (default: never)', toDays)
    .exitOverride()
    .showHelpAfterError('(houmao-gateway --help shows every flag)');
  return addTimingOptions(command)
    .parse([...argv], { from: 'user' })
    .opts<GatewayOptions>();
}
