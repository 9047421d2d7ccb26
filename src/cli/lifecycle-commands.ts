import { type Command, Option } from 'commander';
import type { CommandCaller } from './caller.js';
import { launchAgent, stopAgent } from './commands/agents.js';
import { doctor } from './commands/doctor.js';
import { type ListFlags, listAgents } from './commands/list-agents.js';
import { type PruneFlags, pruneAgents, type RemoveFlags, removeAgent } from './commands/prune.js';
import { type RestartFlags, restartAgent } from './commands/restart.js';
import { attachTerminal } from './commands/terminal.js';
import { addGatewayFlags, type GatewayFlags } from './flags/gateway-flags.js';
import { addLaunchFlags, type LaunchFlags } from './flags/launch-options.js';
import {
  type AllFlag,
  allOption,
  type JsonFlag,
  jsonOption,
  type ServerFlag,
  serverOption,
} from './flags/options.js';
import { forEachAgent } from './several.js';
import { stateChoices } from './words/agent-standing.js';

/** `agents launch`, `restart`, `list`, `doctor`, `stop`, `rm`, `attach` and `prune`: from the beginning of an agent to its end. */
export function addLifecycle(agents: Command, caller: CommandCaller): void {
  addLaunch(agents, caller);
  addRestart(agents, caller);
  addList(agents, 'list', ['ls', 'ps'], caller);
  agents
    .command('doctor [name]')
    .description('check everything that an agent and its gateway need, and say what to do; changes nothing')
    .addOption(jsonOption())
    .action((name: string | undefined, flags: JsonFlag) => doctor(name, caller.host(), caller.output(flags)));
  agents
    .command('stop [names...]')
    .description('stop agents, their turns, gateways and tmux sessions; their files stay')
    .addOption(allOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((names: string[], flags: AllFlag & ServerFlag & JsonFlag) =>
      forEachAgent({ names, ...flags }, caller.host(), caller.output(flags), (name, output) =>
        stopAgent(name, flags, caller.host(), output),
      ),
    );
  addRemoveAndAttach(agents, caller);
  agents
    .command('prune')
    .description('delete the files of stopped agents; those of registered or running agents stay')
    .option('--dry-run', 'delete nothing, and list what would be deleted')
    .addOption(new Option('--yes', 'do it without asking').conflicts('dryRun'))
    .addOption(jsonOption())
    .action((flags: PruneFlags & JsonFlag) => pruneAgents(flags, caller.host(), caller.output(flags)));
}

function addLaunch(agents: Command, caller: CommandCaller): void {
  const launch = addLaunchFlags(
    agents
      .command('launch')
      .description(
        'launch an agent and its gateway; arguments after -- go to the tool, headless in every turn, in a terminal at its start',
      )
      .argument('[toolArguments...]', 'further arguments of the tool, after --'),
  ).option('--no-gateway', 'do not start the gateway');
  addGatewayFlags(launch)
    .addOption(jsonOption())
    .action((toolArguments: string[], flags: LaunchFlags & GatewayFlags & { gateway: boolean } & JsonFlag) =>
      launchAgent(
        { ...caller.config().newAgent, ...flags },
        toolArguments,
        caller.host(),
        caller.output(flags),
      ),
    );
}

function addRestart(agents: Command, caller: CommandCaller): void {
  const restart = agents
    .command('restart [names...]')
    .description(
      'bring agents back after a reboot: whichever of their tmux session, tool (with its conversation) and gateway are gone',
    )
    .addOption(allOption())
    .option('--no-gateway', 'do not start the gateway');
  addGatewayFlags(restart)
    .addOption(jsonOption())
    .action((names: string[], flags: AllFlag & RestartFlags & JsonFlag) =>
      forEachAgent({ names, ...flags }, caller.host(), caller.output(flags), (name, output) =>
        restartAgent(name, flags, caller.host(), output),
      ),
    );
}

/** `ls` (`ps`), `rm` and `attach`: short names for what `agents list`, `rm` and `attach` do. */
export function addShortNames(program: Command, caller: CommandCaller): void {
  addList(program, 'ls', ['ps'], caller);
  addRemoveAndAttach(program, caller);
}

function addList(parent: Command, name: string, aliases: string[], caller: CommandCaller): void {
  parent
    .command(name)
    .aliases(aliases)
    .description('list agents and their gateways, also those that only a server of this host knows')
    .option(
      '--watch',
      'show it again whenever something has changed, until Ctrl-C; with --json an object each time',
    )
    .addOption(
      new Option('--state <states...>', 'only agents in this state, or one of these').choices(stateChoices),
    )
    .option('--tool <tool>', 'only agents of this tool, such as claude')
    .option('--fleet', 'list the agents of every host of the fleet')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((flags: ListFlags & JsonFlag) => listAgents(flags, caller.host(), caller.output(flags)));
}

function addRemoveAndAttach(parent: Command, caller: CommandCaller): void {
  parent
    .command('rm <names...>')
    .description('stop agents and delete their files: queue, turns and answers; mail stays')
    .option('--yes', 'do it without asking')
    .addOption(jsonOption())
    .action((names: string[], flags: RemoveFlags & JsonFlag) =>
      forEachAgent({ names }, caller.host(), caller.output(flags), (name, output) =>
        removeAgent(name, flags, caller.host(), output),
      ),
    );
  parent
    .command('attach <name>')
    .description('open the tmux session of an agent in this terminal; Ctrl-b d leaves it')
    .action((name: string) => attachTerminal(name, caller.host()));
}
