import { Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../foundation/version.js';
import { usualServerPort } from '../server/directory/server-paths.js';
import { addKeepingOptions } from '../session/keeping-options.js';
import { toolNames } from '../tools/tool-registry.js';
import type { CommandCaller } from './caller.js';
import { type AttachFlags, attach, detach, reconcile, setPaused, status } from './commands/gateway.js';
import {
  createReminder,
  getReminder,
  listReminders,
  type ReminderFlags,
  removeReminder,
  setReminder,
} from './commands/reminders.js';
import { readySqlite, setUp } from './commands/setup.js';
import { type AnswerFlags, answerAgent, type KeysFlags, showScreen, typeKeys } from './commands/terminal.js';
import { showTop } from './commands/top.js';
import { bringUp, type UpFlags } from './commands/up.js';
import { addCompletion, namesHere } from './completion.js';
import { addConfig } from './config-commands.js';
import { addContexts } from './contexts.js';
import { pathOf, refuseInWords } from './failures.js';
import { addGatewayFlags } from './flags/gateway-flags.js';
import {
  type JsonFlag,
  jsonOption,
  refuseBlankTexts,
  type ServerFlag,
  serverOption,
  toInteger,
  toKeys,
  toMoment,
  toPort,
  toSeconds,
} from './flags/options.js';
import { addFleet } from './fleet-commands.js';
import { addBackup } from './kept-commands.js';
import { addLifecycle, addShortNames } from './lifecycle-commands.js';
import { addMail, addMailOfChosen } from './mail-commands.js';
import { addMailbox } from './mailbox-commands.js';
import { addNotify } from './notification-commands.js';
import { addProtocols } from './protocol-commands.js';
import { addServer, addService, addUninstall } from './server-commands.js';
import { exitCodesHelp } from './words/command-failure.js';
import { addExamples } from './words/examples.js';
import { coloured } from './words/terminal-output.js';
import { addEvents, addWork } from './work-commands.js';

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.');
  return number;
}

/** Builds the whole of `houmao-mgr`. @param json the caller is a program: it gets no help when a command is missing. */
export function managerProgram(caller: CommandCaller, json: boolean): Command {
  const program = new Command('houmao-mgr')
    .description('Launch coding agents with a gateway beside each, and talk to them.')
    .version(version)
    .configureOutput({
      // The failure contains this text (failures.ts).
      outputError: () => undefined,
      ...(json && { writeErr: () => undefined }),
    })
    .configureHelp({ styleTitle: (title) => coloured('bold', title) })
    .addHelpText('afterAll', ({ command }) => exitCodesHelp(command.parent === null));
  addUp(program, caller);
  addTop(program, caller);
  program
    .command('setup')
    .description('make SQLite ready for this Node; every other command does so where it is needed')
    .addOption(jsonOption())
    .action((flags: JsonFlag) => setUp(caller.environment, caller.output(flags)));
  program.hook('preAction', async (_program, command) => {
    if (
      !['complete', 'completion', 'config', 'context', 'setup', 'uninstall'].includes(
        pathOf(command)[0] ?? '',
      )
    )
      await readySqlite(caller.environment, caller.output(command.opts<JsonFlag>()));
  });
  const agents = program.command('agents').description('launch, prompt and manage the agents of this host');
  addLifecycle(agents, caller);
  addWork(agents, caller);
  addEvents(agents, caller);
  addTerminal(agents, caller);
  addGateway(agents, caller);
  addMail(agents, caller);
  addMailOfChosen(agents, caller);
  addMailbox(program, caller);
  addServer(program, caller);
  addFleet(program, caller);
  addNotify(program, caller);
  addService(program, caller);
  addProtocols(program, caller);
  addShortNames(program, caller);
  addBackup(program, caller);
  addConfig(program, caller);
  addUninstall(program, caller);
  addCompletion(program, caller);
  addContexts(program, caller);
  addExamples(program);
  refuseBlankTexts(program, () => namesHere(caller));
  refuseInWords(program, () => namesHere(caller), !json);
  return program;
}

function addUp(program: Command, caller: CommandCaller): void {
  const up = program
    .command('up')
    .description('start everything: a server, and an agent with its gateway; leaves alone what runs already')
    .addOption(
      new Option('--tool <tool>', 'agent CLI to run (default: the first that is installed)').choices([
        ...toolNames,
      ]),
    )
    .addOption(
      new Option('--standin', 'run a stand-in agent, which needs no account and echoes prompts').conflicts(
        'tool',
      ),
    )
    .option('--name <name>', "name of the agent (default: the tool's name)")
    .option('--workdir <path>', 'working directory of a new agent', process.cwd())
    .option('--tui', 'keep the tool running in a terminal (default: headless, once per turn)')
    .option('--unattended', "pass the tool's flag that skips its permission questions")
    .addOption(
      new Option(
        '--port <port>',
        `port of the server (default: that of a running server, else ${usualServerPort}; 0: any free one)`,
      ).argParser(toPort),
    )
    .addOption(jsonOption());
  addKeepingOptions(up, (usual) => `remembered; default: ${usual}`).action((flags: UpFlags & JsonFlag) =>
    bringUp(flags, caller.config(), caller.host(), caller.output(flags)),
  );
}

function addTop(program: Command, caller: CommandCaller): void {
  program
    .command('top')
    .description(
      'watch all agents of this host and act on them; ? shows the keys (needs a managed-agent server)',
    )
    .addOption(serverOption())
    .option('--json', 'print one JSON object per change, for programs, until Ctrl-C')
    .action((flags: ServerFlag & JsonFlag) =>
      showTop(flags, caller.host(), caller.output(flags), caller.terminal),
    );
}

function addTerminal(agents: Command, caller: CommandCaller): void {
  agents
    .command('screen <name>')
    .description('show the screen of an agent in a terminal')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      showScreen(name, flags, caller.host(), caller.output(flags)),
    );
  agents
    .command('answer <name>')
    .description('show a question that an agent in a terminal asks a person, and answer it')
    .addOption(
      new Option('--choose <number>', 'choose the option with this number')
        .argParser(toInteger(0, 99))
        .conflicts('keys'),
    )
    .addOption(new Option('--keys <sequence>', 'answer with keys, such as "<[Escape]>"').argParser(toKeys))
    .option('--dialog <id>', 'answer only if this dialog is still shown')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: AnswerFlags) =>
      answerAgent(name, flags, caller.host(), caller.output(flags)),
    );
  agents
    .command('keys <name> <sequence>')
    .description(
      'type keys into the terminal of an agent, such as "/model<[Enter]><[Down]>"; no Enter is added',
    )
    .option('--literal', 'type everything as text, also <[Enter]>')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, sequence: string, flags: KeysFlags & JsonFlag) =>
      typeKeys(name, sequence, flags, caller.host(), caller.output(flags)),
    );
}

/** The flags of `attach` that work only on the agent's machine, not through a server. */
const hereOnly = [
  ...[
    'host',
    'port',
    'diagnosticLog',
    'retainDays',
    'logSize',
    'logDays',
    'logFiles',
    'allowedHost',
    'allowedOrigin',
    'allowedUser',
  ],
  'restart',
];

function addGateway(agents: Command, caller: CommandCaller): void {
  const gateway = agents.command('gateway').description('control the gateway beside an agent');
  addGatewayFlags(gateway.command('attach <name>').description('start the gateway of an agent'))
    .option('--restart', 'stop the running gateway first; this ends a running headless turn')
    .addOption(serverOption(hereOnly))
    .addOption(jsonOption())
    .action((name: string, flags: AttachFlags & JsonFlag) =>
      attach(name, flags, caller.host(), caller.output(flags)),
    );
  gateway
    .command('detach <name>')
    .description('stop the gateway of an agent; queued requests stay queued')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      detach(name, flags, caller.host(), caller.output(flags)),
    );
  gateway
    .command('status <name>')
    .description('show the state of an agent, its gateway and its queue')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      status(name, flags, caller.host(), caller.output(flags)),
    );
  gateway
    .command('pause <name>')
    .description('pause the queue: start no waiting request until it is resumed; a running one goes on')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      setPaused(name, true, flags, caller.host(), caller.output(flags)),
    );
  gateway
    .command('resume <name>')
    .description('resume the queue')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      setPaused(name, false, flags, caller.host(), caller.output(flags)),
    );
  gateway
    .command('reconcile <name>')
    .description('decide about requests that were queued for an earlier instance of the agent')
    .option('--adopt', 'run them on the present instance')
    .option('--discard', 'cancel them')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: { adopt?: boolean; discard?: boolean } & ServerFlag & JsonFlag) =>
      reconcile(name, flags, caller.host(), caller.output(flags)),
    );
  addReminders(gateway, caller);
}

function addReminders(gateway: Command, caller: CommandCaller): void {
  const reminders = gateway.command('reminders').description('have the gateway send prompts later');
  reminders
    .command('list <name>')
    .description('list all reminders, first the one that may fire')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      listReminders(name, flags, caller.host(), caller.output(flags)),
    );
  reminders
    .command('get <name> <reminder-id>')
    .description('show one reminder')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getReminder(name, id, flags, caller.host(), caller.output(flags)),
    );
  addDefinition(reminders.command('create <name>').description('add a reminder, which outlives restarts'))
    .option('--in-memory', 'drop the reminder when the gateway stops')
    .action((name: string, flags: ReminderFlags & JsonFlag) =>
      createReminder(name, flags, caller.host(), caller.output(flags)),
    );
  addDefinition(
    reminders.command('set <name> <reminder-id>').description('change a reminder; other settings stay'),
  )
    .option('--no-paused', 'let it fire again')
    .option('--in-memory', 'drop the reminder when the gateway stops')
    .option('--no-in-memory', 'keep the reminder when the gateway stops')
    .action((name: string, id: string, flags: ReminderFlags & JsonFlag) =>
      setReminder(name, id, flags, caller.host(), caller.output(flags)),
    );
  reminders
    .command('remove <name> <reminder-id>')
    .description('delete a reminder; a delivery that is running goes on')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      removeReminder(name, id, flags, caller.host(), caller.output(flags)),
    );
}

const addDefinition = (command: Command): Command =>
  command
    .option('--title <text>', 'name shown to people (default: the beginning of the prompt)')
    .option('--prompt <text>', 'the prompt to send')
    .addOption(
      new Option('--keys <sequence>', 'raw keys to type, for agents in a terminal').argParser(toKeys),
    )
    .option('--no-enter', 'do not end the keys with Enter')
    .addOption(
      new Option('--in <duration>', 'due after this long, such as 5m')
        .argParser(toSeconds({ fractions: true }))
        .conflicts('at'),
    )
    .addOption(
      new Option(
        '--at <moment>',
        'due at this time: an ISO 8601 date or date and time, UTC unless it says otherwise',
      ).argParser(toMoment),
    )
    .addOption(
      new Option('--every <duration>', 'repeat at this interval, such as 2h').argParser(
        toSeconds({ fractions: true }),
      ),
    )
    .addOption(
      new Option(
        '--ranking <number>',
        'precedence: the smallest one fires, all others wait (default: after the others, but before one that repeats)',
      ).argParser(toNumber),
    )
    .option('--paused', 'do not fire, and keep the reminders behind it waiting')
    .addOption(serverOption())
    .addOption(jsonOption());
