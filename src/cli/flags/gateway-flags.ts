import { type Command, Option } from 'commander';
import type { GatewayWish } from '../../launch/gateway-wish.js';
import { collect, toInteger, toPort } from './option-values.js';

/** How a gateway is to be started. */
export interface GatewayFlags {
  host?: '127.0.0.1' | '0.0.0.0';
  port?: number;
  window?: boolean;
  background?: boolean;
  diagnosticLog?: boolean;
  retainDays?: number;
  allowedHost: string[];
  allowedOrigin: string[];
  allowedUser: string[];
}

export const addGatewayFlags = (command: Command): Command =>
  command
    .addOption(
      new Option('--host <host>', 'where the gateway listens; left out, as before or 127.0.0.1').choices([
        '127.0.0.1',
        '0.0.0.0',
      ]),
    )
    .addOption(
      new Option('--port <port>', 'its port; left out, the one used before or any').argParser(toPort),
    )
    .option('--window', "run it in a window of the agent's tmux session, where its log can be watched")
    .addOption(
      new Option('--background', 'run it in the background (unless a window was used before)').conflicts(
        'window',
      ),
    )
    .option('--diagnostic-log', 'also keep a detailed log in gateway/logs/diagnostics, from now on')
    .option('--no-diagnostic-log', 'no longer keep it')
    .addOption(
      new Option(
        '--retain-days <days>',
        'forget finished requests after so many days, this time; left out, nothing is deleted',
      ).argParser(toInteger(1, 99_999)),
    )
    .option('--allowed-host <name>', 'further name it may be called by, this time (repeatable)', collect, [])
    .option(
      '--allowed-origin <origin>',
      'web origin whose pages may call, this time (repeatable)',
      collect,
      [],
    )
    .option(
      '--allowed-user <user>',
      'user of this machine who may call, this time (repeatable)',
      collect,
      [],
    );

export const toGatewayWish = (flags: GatewayFlags): GatewayWish => ({
  host: flags.host ?? null,
  port: flags.port ?? null,
  mode: flags.window ? 'tmux_auxiliary_window' : flags.background ? 'detached_process' : null,
  diagnosticLog: flags.diagnosticLog ?? null,
  flags: [
    ...(flags.retainDays === undefined ? [] : ['--retain-days', String(flags.retainDays)]),
    ...flags.allowedHost.flatMap((name) => ['--allowed-host', name]),
    ...flags.allowedOrigin.flatMap((origin) => ['--allowed-origin', origin]),
    ...flags.allowedUser.flatMap((user) => ['--allowed-user', user]),
  ],
});

/** A sentence for a listener that other machines are refused by; none where they are served. */
export const reachAdvice = (host: string | undefined, allowedHosts: readonly string[] = []): string[] =>
  host === '0.0.0.0' && allowedHosts.length === 0
    ? [
        'Calls from other machines are refused (421): start it with --allowed-host and the name or address that they use, too.',
      ]
    : [];
