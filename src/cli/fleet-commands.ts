import { isAbsolute } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type EngineAddress, listenAddress, usualEnginePort } from '../fleet/engine/server-config.js';
import { hostNamePattern, hostNameRule, isReplicaCount, replicaRule } from '../foundation/host-name.js';
import type { CommandCaller } from './caller.js';
import type { CredentialsFlags } from './commands/fleet/credentials.js';
import type { JoinFlags } from './commands/fleet/membership.js';
import type { CommandListFlags, FleetEventFlags } from './commands/fleet/see-fleet.js';
import type { FleetUpFlags } from './commands/fleet/up.js';
import {
  type JsonFlag,
  jsonOption,
  type ServerFlag,
  serverOption,
  toFleetUrls,
  toInteger,
  toPort,
} from './flags/options.js';

/** `fleet`: the NATS server by which hosts work together. */
export function addFleet(program: Command, caller: CommandCaller): void {
  const fleet = program
    .command('fleet')
    .description('work with the agents of several hosts as one fleet, over a NATS server');
  fleet
    .command('up')
    .description('try a fleet out: run a NATS server on this machine, for this machine, until Ctrl-C')
    .option('--binary <path>', 'the nats-server to run (default: the one in PATH)')
    .option('--data <folder>', 'folder of its files (default: one below the runtime folder)')
    .addOption(
      new Option('--port <port>', 'port it listens on; 0: any free one')
        .default(usualEnginePort)
        .argParser(toPort),
    )
    .addOption(
      hostOption('another host that gets a key; this one has one by the name of this machine (repeatable)'),
    )
    .addOption(jsonOption())
    .action(async (flags: FleetUpFlags & JsonFlag) => {
      const { bringFleetUp } = await import('./commands/fleet/up.js');
      await bringFleetUp(flags, caller.host(), caller.output(flags));
    });
  addMembership(fleet, caller);
  const credentials = fleet
    .command('credentials')
    .description('make a key for each host, and the configuration of a NATS server that lets them in')
    .addOption(hostOption('a host that gets a key; one that has a key keeps it (repeatable)'))
    .option(
      '--out <folder>',
      'write keys and configuration there (default: keys below the runtime folder, the configuration to standard output)',
    );
  for (const option of settingsOptions()) credentials.addOption(option);
  credentials.addOption(jsonOption()).action(async (flags: CredentialsFlags & JsonFlag) => {
    const { makeCredentials } = await import('./commands/fleet/credentials.js');
    makeCredentials(flags, caller.host(), caller.output(flags));
  });
}

/** The commands about the fleet that a server is in. */
function addMembership(fleet: Command, caller: CommandCaller): void {
  fleet
    .command('join')
    .description('have the server of this machine join a fleet, from its next start on')
    .argument('<url>', 'the address of its NATS server; of several, with commas between', toFleetUrls)
    .option('--credentials <file>', 'the key of this host: an nkey seed or a NATS .creds file')
    .option('--ca <file>', 'certificates to trust for the NATS server, in place of the usual ones')
    .addOption(
      new Option('--host-name <name>', 'name of this host (default: from the name of the machine)').argParser(
        toHostName,
      ),
    )
    .addOption(
      new Option(
        '--replicas <count>',
        'on how many NATS servers the fleet keeps what it has (default: 1)',
      ).argParser(toReplicas),
    )
    .addOption(jsonOption())
    .action(async (url: string, flags: JoinFlags & JsonFlag) => {
      const { joinFleet } = await import('./commands/fleet/membership.js');
      joinFleet(url, flags, caller, caller.output(flags));
    });
  fleet
    .command('leave')
    .description('have the server of this machine join no fleet any more')
    .addOption(jsonOption())
    .action(async (flags: JsonFlag) => {
      const { leaveFleet } = await import('./commands/fleet/membership.js');
      await leaveFleet(caller, caller.host(), caller.output(flags));
    });
  const seen = (name: string, words: string): Command =>
    fleet.command(name).description(words).addOption(serverOption()).addOption(jsonOption());
  seen('status', 'show whether a server is in its fleet, since when, and what waits').action(
    async (flags: ServerFlag & JsonFlag) => {
      const { showFleet } = await import('./commands/fleet/see-fleet.js');
      await showFleet(flags, caller.host(), caller.output(flags));
    },
  );
  seen('hosts', 'list the hosts of the fleet').action(async (flags: ServerFlag & JsonFlag) => {
    const { listHosts } = await import('./commands/fleet/see-fleet.js');
    await listHosts(flags, caller.host(), caller.output(flags));
  });
  seen(
    'commands [agent@host]',
    'list the prompts that wait for hosts of the fleet, for all agents or for one such as beta@ws2',
  )
    .option('--all', 'also those that arrived or ended within 30 days, the latest first')
    .addOption(new Option('--limit <number>', 'at most this many').argParser(toInteger(1, 200)).default(50))
    .action(async (name: string | undefined, flags: CommandListFlags & JsonFlag) => {
      const { listCommands } = await import('./commands/fleet/see-fleet.js');
      await listCommands(name, flags, caller.host(), caller.output(flags));
    });
  seen('events', 'list the events of the agents of all hosts, oldest first, one per line')
    .option('--follow', 'show each event as it comes, until Ctrl-C')
    .option('--after <place>', 'only those behind this place, which earlier output names')
    .action(async (flags: FleetEventFlags & JsonFlag) => {
      const { showFleetEvents } = await import('./commands/fleet/see-fleet.js');
      await showFleetEvents(flags, caller.host(), caller.output(flags));
    });
}

const hostOption = (words: string): Option =>
  new Option('--host <name>', words).argParser((name: string, all: string[] | undefined) => [
    ...(all ?? []),
    toHostName(name),
  ]);

function toHostName(name: string): string {
  if (hostNamePattern.test(name)) return name;
  throw new InvalidArgumentError(`The name of a host has ${hostNameRule}.`);
}

function toReplicas(text: string): number {
  if (isReplicaCount(Number(text))) return Number(text);
  throw new InvalidArgumentError(`It ${replicaRule}.`);
}

const settingsOptions = (): Option[] => [
  new Option(
    '--listen <address>',
    `address and port the NATS server listens on (default: 127.0.0.1:${usualEnginePort})`,
  ).argParser(toListenAddress),
  new Option(
    '--store <folder>',
    'folder, on its machine, in which it keeps what it has accepted (default: beside the keys)',
  ).argParser(toFarPath),
  new Option('--tls-cert <file>', 'certificate by which connections are encrypted, on its machine').argParser(
    toFarPath,
  ),
  new Option('--tls-key <file>', 'private key of that certificate, on its machine').argParser(toFarPath),
];

function toListenAddress(text: string): EngineAddress {
  const address = listenAddress(text);
  if (address === null)
    throw new InvalidArgumentError(
      'It must be an address with or without a port from 1 to 65535, such as 0.0.0.0:4222.',
    );
  return address;
}

/** Reads a path of a machine that may be another one, where nothing is known of folders. */
function toFarPath(path: string): string {
  if (isAbsolute(path)) return path;
  throw new InvalidArgumentError('It must be an absolute path, on the machine of the NATS server.');
}
