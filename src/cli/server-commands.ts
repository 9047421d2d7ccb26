import { type Command, Option } from 'commander';
import { usualServerPort } from '../server/directory/server-paths.js';
import type { CommandCaller } from './caller.js';
import {
  fleetFlagsOf,
  type PlaceFlags,
  type ServerFlags,
  serverStatus,
  startServer,
  stopServer,
} from './commands/server/server.js';
import { installService, uninstallService } from './commands/service.js';
import { type UninstallFlags, uninstall } from './commands/uninstall.js';
import { collectTexts, type JsonFlag, jsonOption, toFleetUrls, toPort } from './flags/options.js';

/** `server`: starts, stops and finds servers over the agents of this host. */
export function addServer(program: Command, caller: CommandCaller): void {
  const server = program
    .command('server')
    .description('start, stop and find the server over all agents of this host');
  addPlace(server.command('start').description('start the server, or say where it already serves'))
    .option(
      '--foreground',
      'stay in the foreground until the server ends (default: run it in the background)',
    )
    .option('--allowed-host <name>', 'another host name that callers may use (repeatable)', collectTexts, [])
    .option('--allowed-origin <origin>', 'web origin whose pages may call (repeatable)', collectTexts, [])
    .option('--allowed-user <user>', 'user of this machine who may call (repeatable)', collectTexts, [])
    .option(
      '--allow-private-webhooks',
      'let webhooks go to this machine and to private networks (default: to public addresses only)',
    )
    .option(
      '--fleet <url>',
      'join the fleet at these NATS servers, with commas between (repeatable; default: those of `fleet join`)',
      (url: string, all: string[] | undefined) => [...(all ?? []), toFleetUrls(url)],
    )
    .option('--fleet-credentials <file>', 'the key of this host in the fleet')
    .option('--fleet-ca <file>', 'certificates to trust for the NATS server, in place of the usual ones')
    .option('--fleet-replicas <count>', 'on how many NATS servers the fleet keeps what it has (default: 1)')
    .option('--host-name <name>', 'name of this host in the fleet (default: from the name of the machine)')
    .action((flags: ServerFlags & JsonFlag) => {
      const { environment } = caller;
      const joined =
        flags.fleet === undefined ? { ...fleetFlagsOf(caller.config(), environment), ...flags } : flags;
      return startServer(joined, caller.host(), caller.output(flags));
    });
  addPlace(
    server
      .command('status')
      .description('show which servers run on this host, and where; exits with 0 also when none runs'),
  ).action((flags: PlaceFlags & JsonFlag) => serverStatus(flags, caller.host(), caller.output(flags)));
  addPlace(
    server
      .command('stop')
      .description('stop the server, wherever it serves; agents, their turns and their gateways go on'),
  ).action((flags: PlaceFlags & JsonFlag) => stopServer(flags, caller.host(), caller.output(flags)));
}

/** `service`: has the machine bring everything back when it starts. */
export function addService(program: Command, caller: CommandCaller): void {
  const service = program
    .command('service')
    .description('bring server, gateways and agents back after a start of the machine');
  service
    .command('install')
    .description(
      'set up a systemd user unit; without systemd, leave a script for whatever starts the machine',
    )
    .addOption(jsonOption())
    .action((flags: JsonFlag) => installService(caller.host(), caller.output(flags)));
  service
    .command('uninstall')
    .description('remove unit and script; everything that runs goes on')
    .addOption(jsonOption())
    .action((flags: JsonFlag) => uninstallService(caller.host(), caller.output(flags)));
}

/** `uninstall`: removes what stands outside of the package. */
export const addUninstall = (program: Command, caller: CommandCaller): Command =>
  program
    .command('uninstall')
    .description('remove what the program has put on this machine for itself, and say what stays')
    .option('--dry-run', 'remove nothing, and say what would go and what stays')
    .addOption(jsonOption())
    .action((flags: UninstallFlags & JsonFlag) =>
      uninstall(flags, caller.host(), caller.environment, caller.output(flags)),
    );

const addPlace = (command: Command): Command =>
  command
    .option('--root <path>', 'folder of the server (default: one per host and port)')
    .addOption(
      new Option('--host <host>', 'address the server listens on (default: 127.0.0.1)').choices([
        '127.0.0.1',
        '0.0.0.0',
      ]),
    )
    .addOption(
      new Option(
        '--port <port>',
        `port the server listens on (default: ${usualServerPort}; 0: any free one); status and stop find a server at any port without it`,
      ).argParser(toPort),
    )
    .addOption(jsonOption());
