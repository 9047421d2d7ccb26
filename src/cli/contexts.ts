import { type Command, InvalidArgumentError, Option } from 'commander';
import { belowHome, homeFolder } from '../foundation/environment.js';
import { unlessUnusable } from '../foundation/faults.js';
import { splitReference } from '../foundation/host-name.js';
import type { CommandCaller } from './caller.js';
import { servingServers } from './commands/server/see-servers.js';
import { type Config, contextNameTrouble, here } from './config/config-file.js';
import { contextInForce } from './config/context-in-force.js';
import { pathOf } from './failures.js';
import { type JsonFlag, type ServerFlag, ServerOption, textFrom } from './flags/options.js';
import { CommandFailure, exitCodes } from './words/command-failure.js';

interface ContextFlag {
  context?: string;
}

/** Gives every command with `--server` a `--context`, and has it use the server of the context in force. */
export function addContexts(program: Command, caller: CommandCaller): void {
  for (const command of commandsBelow(program))
    if (takesServer(command) && !takesContext(command))
      command.addOption(
        new Option(
          '--context <name>',
          `use the server of this context (houmao-mgr context); ${here}: this machine`,
        )
          .argParser(toContext)
          .conflicts('server'),
      );
  program.hook('preAction', (_program, command) => useContext(command, caller));
}

const toContext = (text: string): string => {
  const trouble = text === here ? null : contextNameTrouble(text);
  if (trouble !== null)
    throw new InvalidArgumentError(`${trouble.charAt(0).toUpperCase()}${trouble.slice(1)}.`);
  return text;
};

const commandsBelow = (command: Command): Command[] =>
  command.commands.flatMap((one) => [one, ...commandsBelow(one)]);
const takes = (flag: string) => (command: Command) => command.options.some(({ long }) => long === flag);
const takesServer = takes('--server');
const takesContext = takes('--context');

/** The first words of the commands that work on agents. */
const ofAgents: ReadonlySet<string> = new Set(['agents', 'up', 'rm', 'attach', 'backup', 'restore']);

/**
 * Sets `--server` of a command to that of the context in force. A command that works on this machine alone says so where a context
 * is in use.
 * @throws {CommandFailure} for flags that a server does not take
 */
async function useContext(command: Command, caller: CommandCaller): Promise<void> {
  const flags = command.opts<ServerFlag & ContextFlag & JsonFlag>();
  const { environment } = caller;
  if (!takesContext(command)) {
    if (!ofAgents.has(pathOf(command)[0] ?? '')) return;
    refuseOtherHost(command);
    // A faulty file is reported by the commands that need it.
    const config = unlessUnusable(() => caller.config());
    const name = config === null ? null : contextInForce({ flag: undefined, environment }, config);
    if (name !== null)
      caller
        .output(flags)
        .progress(
          `houmao-mgr ${pathOf(command).join(' ')} works on this machine, not at the context ${name}.`,
        );
    return;
  }
  // A server that was named needs the file only for its token.
  const config = flags.server === undefined ? caller.config() : unlessUnusable(() => caller.config());
  if (config === null) return;
  const name =
    flags.server === undefined ? contextInForce({ flag: flags.context, environment }, config) : null;
  const server = flags.server ?? (name === null ? undefined : config.contexts.get(name)?.server);
  if (server === undefined) return useFleet(command, caller);
  if (name !== null) refuseFlagsOfHere(command, name);
  command.setOptionValueWithSource('server', server, 'config');
  const token = tokenOf({ name, server }, config, environment);
  if (token !== null) command.setOptionValueWithSource('serverToken', token, 'config');
}

/** Returns the first agent of another host (`alpha@ws1`) that a command names; null where it names none. */
function agentElsewhere(command: Command): { reference: string; host: string } | null {
  const { all, agentName } = command.optsWithGlobals<{ all?: boolean; agentName?: string }>();
  // With --all, the first word of `agents prompt` is no name.
  const named = all
    ? []
    : command.registeredArguments.flatMap((argument, at) => {
        if (!['name', 'names', 'agent'].includes(argument.name())) return [];
        return argument.variadic ? command.args.slice(at) : command.args.slice(at, at + 1);
      });
  for (const reference of agentName === undefined ? named : [agentName, ...named]) {
    const split = /\s/.test(reference) ? null : splitReference(reference);
    if (split !== null) return { reference, host: split.host };
  }
  return null;
}

/** @throws {CommandFailure} for an agent of another host, where a command works on this machine */
function refuseOtherHost(command: Command): void {
  const elsewhere = agentElsewhere(command);
  if (elsewhere === null) return;
  const words = `houmao-mgr ${pathOf(command).join(' ')}`;
  throw new CommandFailure(
    `${words} works on the agents of this machine, and ${elsewhere.reference} is one of host ${elsewhere.host}.`,
    exitCodes.usage,
    { errorCode: 'other_host', hint: `Run it on ${elsewhere.host}.` },
  );
}

/** An agent of another host is reached through the server of this machine. @throws {CommandFailure} where none serves */
async function useFleet(command: Command, caller: CommandCaller): Promise<void> {
  const elsewhere = agentElsewhere(command);
  if (elsewhere === null) return;
  const [server] = await servingServers(caller.host());
  if (server === undefined)
    throw new CommandFailure(
      `${elsewhere.reference} is an agent of another host, which the server of this machine reaches, and none runs.`,
      exitCodes.unreachable,
      {
        errorCode: 'no_server',
        remedies: [['start one in its fleet', 'houmao-mgr server start']],
      },
    );
  command.setOptionValueWithSource('server', server, 'fleet');
}

/** @throws {CommandFailure} for a flag that excludes `--server`: it would be ignored */
function refuseFlagsOfHere(command: Command, context: string): void {
  const excluded = command.options.flatMap((option) =>
    option instanceof ServerOption ? option.hereOnly : [],
  );
  const given = command.options.find((option) => {
    const property = option.attributeName();
    return excluded.includes(property) && command.getOptionValueSource(property) === 'cli';
  });
  if (given)
    throw new CommandFailure(
      `${given.long} works on this machine only, and the context ${context} is in force.`,
      exitCodes.usage,
      { hint: `Add --context ${here}, or leave out ${given.long}.` },
    );
}

/**
 * Returns the token of the context; for a server that was named by its address, that of a context with the same one. Null where there
 * is none.
 * @throws {CommandFailure} when its file cannot be read
 */
function tokenOf(
  { name, server }: { readonly name: string | null; readonly server: string },
  { contexts }: Config,
  environment: NodeJS.ProcessEnv,
): string | null {
  for (const [each, { server: url, tokenFile }] of contexts)
    if (tokenFile !== null && (name === null ? url === server : each === name)) {
      const path = belowHome(tokenFile, homeFolder(environment));
      return textFrom(`The token file of the context ${each},`, path).trim();
    }
  return null;
}
