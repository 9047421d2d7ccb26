import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AgentHost } from '../launch/agent-host.js';
import type { CommandCaller } from './caller.js';
import { type EventFlags, showEvents } from './commands/events.js';
import { followAgent } from './commands/follow.js';
import { showHostEvents } from './commands/host-events.js';
import { type LogFlags, showLog } from './commands/logs.js';
import { type InterruptFlags, interruptAgent, promptAgent } from './commands/prompt.js';
import {
  cancelRequest,
  getRequest,
  listRequests,
  type RequestListFlags,
  requestStates,
  turnOutcomes,
} from './commands/requests.js';
import { getTurn, waitForTurn } from './commands/turns.js';

import { waitForRequest } from './commands/wait-for-request.js';
import {
  type AllFlag,
  allOption,
  collectLabels,
  collectTexts,
  type DeadlineFlag,
  type JsonFlag,
  jsonOption,
  type ServerFlag,
  serverOption,
  toDeadline,
  toInteger,
} from './flags/options.js';
import { addWaitingFlags, type PromptFlags, type WaitingFlags } from './flags/work-flags.js';
import { forEachAgent } from './several.js';
import { showUsage, type UsageFlags } from './usage.js';
import { CommandFailure, exitCodes } from './words/command-failure.js';
import { eventKinds } from './words/event-words.js';
import type { Output } from './words/terminal-output.js';

const waitingHelp = `
Ctrl-C stops the waiting, not the agent: queued and running work goes on, and its id is printed with the commands that lead back to it.`;

/** `agents prompt`, `interrupt`, `requests` and `turns`: the work of an agent, and the ways back to it. */
export function addWork(agents: Command, caller: CommandCaller): void {
  addPrompt(agents, caller);
  addFollow(agents, caller);
  addRequests(agents, caller);
  addTurns(agents, caller);
}

function addPrompt(agents: Command, caller: CommandCaller): void {
  const prompt = agents
    .command('prompt [name] [text...]')
    .description(
      'prompt an agent, wait, and print the answer; put the text in quotes, or give "-" to read it from standard input',
    )
    .option('--model <model>', 'model for this turn')
    .addOption(
      new Option('--reasoning <level>', 'reasoning preset for this turn, 1 is the lowest').argParser(
        toInteger(0, 99),
      ),
    )
    .option(
      '--new',
      'start a new conversation; refused for an agent in a terminal: type its command there, see agents keys',
    )
    .option(
      '--idempotency-key <key>',
      'key of this prompt: a repeat with the same key and text is not queued again',
    )
    .addOption(labelOption('label of this prompt, shown in the records of its request and turn (repeatable)'))
    .addOption(
      new Option(
        '--deadline <when>',
        'for an agent of another host: until when that host may take it, such as 2h or 2026-03-13T12:00:00Z; then it lapses (default: never)',
      ).argParser(toDeadline),
    )
    .option('--also <name>', 'prompt this agent too, at the same time (repeatable)', collectTexts, [])
    .option('--all', 'prompt every agent of this host; the text follows at once, without a name')
    .option('--file <path>', 'the prompt from a file, or with "-" from standard input')
    .addOption(
      new Option('--no-wait', 'return once the prompt is queued, and print its id').conflicts('timeout'),
    );
  addWaitingFlags(prompt)
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string | undefined, words: string[], given: GivenPromptFlags) => {
      const { deadline, ...flags } = given;
      const host = caller.host();
      const now = host.clock.now();
      const moment = deadline?.(now);
      if (moment && moment <= now)
        throw new CommandFailure(
          `--deadline ${moment.toISOString()} has passed. Nothing was queued.`,
          exitCodes.usage,
        );
      return promptAgents(
        name,
        words,
        { ...flags, ...(moment && { deadline: moment }) },
        host,
        caller.output(flags),
      );
    });
  agents
    .command('interrupt [names...]')
    .description('stop the running turn of agents')
    .addOption(allOption().conflicts('turn'))
    .option('--turn <id>', 'stop this turn only; nothing happens if another one is running')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((names: string[], flags: AllFlag & InterruptFlags & JsonFlag) =>
      forEachAgent({ names, ...flags }, caller.host(), caller.output(flags), (name, output) =>
        interruptAgent(name, flags, caller.host(), output),
      ),
    );
}

const labelOption = (help: string): Option =>
  new Option('--metadata <key=value>', help).argParser(collectLabels);

function addFollow(agents: Command, caller: CommandCaller): void {
  agents
    .command('follow <name> [turn-id]')
    .description(
      'show a turn while it runs; without an id, the running turn and every later one, until Ctrl-C',
    )
    .addOption(serverOption())
    .option('--json', 'print one JSON object per part of the turn, for programs')
    .action((name: string, turnId: string | undefined, flags: ServerFlag & JsonFlag) =>
      followAgent(name, turnId, flags, caller.host(), caller.output(flags)),
    );
}

function addRequests(agents: Command, caller: CommandCaller): void {
  const requests = agents
    .command('requests')
    .description("list, show, await and cancel the requests in an agent's queue");
  requests
    .command('list <name>')
    .description('list requests, newest first, finished ones included')
    .addOption(new Option('--state <state>', 'only requests in this state').choices(requestStates))
    .addOption(
      new Option('--outcome <outcome>', 'only requests whose turn ended in this way').choices(turnOutcomes),
    )
    .addOption(labelOption('only requests with this label (repeatable)'))
    .addOption(
      new Option('--limit <number>', 'at most this many requests').argParser(toInteger(1, 200)).default(20),
    )
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: RequestListFlags & JsonFlag) =>
      listRequests(name, flags, caller.host(), caller.output(flags)),
    );
  requests
    .command('show <name> <request-id>')
    .alias('get')
    .description('show its state, with its answer')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getRequest(name, id, flags, caller.host(), caller.output(flags)),
    );
  addWaitingFlags(
    requests.command('wait <name> <request-id>').description('wait until it has ended, and print the answer'),
  )
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, id: string, flags: ServerFlag & WaitingFlags & JsonFlag) =>
      waitForRequest(name, id, flags, caller.host(), caller.output(flags)),
    );
  requests
    .command('cancel <name> <request-id>')
    .description('take a waiting request out of the queue')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      cancelRequest(name, id, flags, caller.host(), caller.output(flags)),
    );
}

function addTurns(agents: Command, caller: CommandCaller): void {
  const turns = agents
    .command('turns')
    .description('show and await turns through a managed-agent server, also of an agent without a gateway');
  turns
    .command('get <name> <turn-id>')
    .description('show its state, with its answer')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getTurn(name, id, flags, caller.host(), caller.output(flags)),
    );
  addWaitingFlags(
    turns.command('wait <name> <turn-id>').description('wait until it has ended, and print the answer'),
  )
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, id: string, flags: ServerFlag & WaitingFlags & JsonFlag) =>
      waitForTurn(name, id, flags, caller.host(), caller.output(flags)),
    );
}

/** Collects kinds of events, as an option's value. */
export const collectKinds = (text: string, all: string[] | undefined): string[] => {
  if (!eventKinds.includes(text))
    throw new InvalidArgumentError(`Allowed kinds are ${eventKinds.join(', ')}.`);
  return [...(all ?? []), text];
};

/** `agents events`, `agents logs` and `agents usage`: the history of agents. */
export function addEvents(agents: Command, caller: CommandCaller): void {
  agents
    .command('usage [names...]')
    .description(
      'show the turns, tokens and cost of agents by day (UTC); of every agent of this host without a name',
    )
    .addOption(
      new Option('--days <number>', 'so many days, today included').argParser(toInteger(1, 366)).default(7),
    )
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((names: string[], flags: UsageFlags & JsonFlag) =>
      showUsage(names, flags, caller.host(), caller.output(flags)),
    );
  agents
    .command('events [name]')
    .description(
      "list the events of an agent's gateway, oldest first, one per line; with --all those of every agent of this host",
    )
    .option('-f, --follow', 'keep printing new events, across restarts of the gateway, until Ctrl-C')
    .addOption(
      new Option(
        '--all',
        'the events of every agent, by a managed-agent server; --follow begins with those from now on',
      ).conflicts('after'),
    )
    .addOption(
      new Option('--after <number>', 'only events after the one with this number (default: 0)').argParser(
        toInteger(0, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(
      new Option('--kind <kind>', 'only events of this kind, such as turn_ended (repeatable)')
        .choices(eventKinds)
        .argParser(collectKinds)
        .default([], 'all'),
    )
    .addOption(serverOption())
    .option('--json', 'print one JSON object, for programs; with --follow one per event')
    .action((name: string | undefined, flags: EventFlags & AllFlag & JsonFlag) => {
      if ((name === undefined) !== (flags.all ?? false))
        throw new CommandFailure('Name an agent or use --all.', exitCodes.usage);
      return name === undefined
        ? showHostEvents(flags, caller.host(), caller.output(flags))
        : showEvents(name, flags, caller.host(), caller.output(flags));
    });
  agents
    .command('logs <name>')
    .description("print the log of an agent's gateway, also when the gateway does not run")
    .option('-f, --follow', 'keep printing new lines, until Ctrl-C')
    .addOption(
      new Option('-n, --lines <number>', 'how many of the last lines to print')
        .argParser(toInteger(0, 1_000_000))
        .default(100),
    )
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: LogFlags & JsonFlag) =>
      showLog(name, flags, caller.host(), caller.output(flags)),
    );
}

/** The flags that give a prompt to several agents. */
interface SeveralFlags {
  also: string[];
  all?: boolean;
}

/** The flags of `agents prompt` as they are given. */
type GivenPromptFlags = Omit<PromptFlags, 'deadline'> & SeveralFlags & JsonFlag & { deadline?: DeadlineFlag };

/** `agents prompt`, for one agent or for several at the same time. With `--all`, the name is the first word of the prompt. */
function promptAgents(
  name: string | undefined,
  words: readonly string[],
  flags: PromptFlags & SeveralFlags,
  host: AgentHost,
  output: Output,
): Promise<void> {
  const { also, all = false } = flags;
  const given = name === undefined ? [] : [name];
  const [names, text] = all ? [also, [...given, ...words]] : [[...given, ...also], words];
  if ((all || also.length > 0) && (text.includes('-') || flags.file === '-'))
    throw new CommandFailure(
      'Several agents cannot share standard input: use --file <path>.',
      exitCodes.usage,
    );
  return forEachAgent(
    { names, all },
    host,
    output,
    (one, own) => promptAgent(one, text, flags, host, own),
    true,
  );
}
