import { type Command, Option } from 'commander';
import { usualServerPort } from '../server/directory/server-paths.js';
import type { Caller } from './caller.js';
import {
  type PlaceFlags,
  type ServerFlags,
  serverStatus,
  startServer,
  stopServer,
} from './commands/server/server.js';
import { type JsonFlag, jsonOption } from './flags/json-flag.js';
import { collect, toPort } from './flags/option-values.js';

/** `server`: the one server over all agents of this host. */
export function addServer(program: Command, caller: Caller): void {
  const server = program.command('server').description('the server over all agents of this host');
  addPlace(server.command('start').description('start it, or say where it serves already'))
    .option('--foreground', 'stay with it until it ends; left out, it runs in the background')
    .option('--allowed-host <name>', 'further name it may be called by (repeatable)', collect, [])
    .option('--allowed-origin <origin>', 'web origin whose pages may call (repeatable)', collect, [])
    .option('--allowed-user <user>', 'user of this machine who may call (repeatable)', collect, [])
    .action((flags: ServerFlags & JsonFlag) => startServer(flags, caller.host(), caller.output(flags)));
  addPlace(
    server
      .command('status')
      .description('which server of this host serves, and where; no failure where none does'),
  ).action((flags: PlaceFlags & JsonFlag) => serverStatus(flags, caller.host(), caller.output(flags)));
  addPlace(
    server
      .command('stop')
      .description('end it, wherever it serves; agents, their turns and their gateways go on'),
  ).action((flags: PlaceFlags & JsonFlag) => stopServer(flags, caller.host(), caller.output(flags)));
}

const addPlace = (command: Command): Command =>
  command
    .option('--root <path>', 'its folder; left out, the one of its host and port')
    .addOption(
      new Option('--host <host>', 'where it listens; left out, on 127.0.0.1').choices([
        '127.0.0.1',
        '0.0.0.0',
      ]),
    )
    .addOption(
      new Option(
        '--port <port>',
        `port (default ${usualServerPort}; 0 for any free one); status and stop find the server at any port without it`,
      ).argParser(toPort),
    )
    .addOption(jsonOption());
