import { type Command, Option } from 'commander';
import type { GatewaySettings } from '../../launch/gateway-settings.js';
import { addKeepingOptions, type KeepingOptions, keepingOf } from '../../session/keeping-options.js';
import { collectTexts, toPort } from './options.js';

/** The flags for the start of a gateway. */
export interface GatewayFlags extends KeepingOptions {
  host?: '127.0.0.1' | '0.0.0.0';
  port?: number;
  window?: boolean;
  background?: boolean;
  diagnosticLog?: boolean;
  allowedHost: string[];
  allowedOrigin: string[];
  allowedUser: string[];
}

export const addGatewayFlags = (command: Command): Command =>
  addKeepingOptions(command, (usual) => `remembered; default: ${usual}`)
    .addOption(
      new Option(
        '--host <host>',
        'address the gateway listens on (default: the one used before, else 127.0.0.1)',
      ).choices(['127.0.0.1', '0.0.0.0']),
    )
    .addOption(
      new Option(
        '--port <port>',
        'port the gateway listens on (default: the one used before, else any free one)',
      ).argParser(toPort),
    )
    .option('--window', "run it in a window of the agent's tmux session, where its log can be watched")
    .addOption(
      new Option('--background', 'run it in the background (unless a window was used before)').conflicts(
        'window',
      ),
    )
    .option('--diagnostic-log', 'also write a detailed log to gateway/logs/diagnostics, from now on')
    .option('--no-diagnostic-log', 'stop writing the detailed log')
    .option(
      '--allowed-host <name>',
      'another host name that callers may use, until this gateway stops (repeatable)',
      collectTexts,
      [],
    )
    .option(
      '--allowed-origin <origin>',
      'web origin whose pages may call, until this gateway stops (repeatable)',
      collectTexts,
      [],
    )
    .option(
      '--allowed-user <user>',
      'user of this machine who may call, until this gateway stops (repeatable)',
      collectTexts,
      [],
    );

export const requestedGateway = (flags: GatewayFlags): GatewaySettings => ({
  host: flags.host ?? null,
  port: flags.port ?? null,
  mode: flags.window ? 'tmux_auxiliary_window' : flags.background ? 'detached_process' : null,
  diagnosticLog: flags.diagnosticLog ?? null,
  keeping: keepingOf(flags),
  flags: [
    ...flags.allowedHost.flatMap((name) => ['--allowed-host', name]),
    ...flags.allowedOrigin.flatMap((origin) => ['--allowed-origin', origin]),
    ...flags.allowedUser.flatMap((user) => ['--allowed-user', user]),
  ],
});

/** Returns a sentence for a listener that refuses other machines; none when it serves them. */
export const reachAdvice = (host: string | undefined, allowedHosts: readonly string[] = []): string[] =>
  host === '0.0.0.0' && allowedHosts.length === 0
    ? [
        'Calls from other machines are refused (421): add --allowed-host with the name or address that they use.',
      ]
    : [];
