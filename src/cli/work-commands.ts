import { type Command, Option } from 'commander';
import type { Caller } from './caller.js';
import { type InterruptFlags, interruptAgent, promptAgent } from './commands/prompt.js';
import {
  cancelRequest,
  getRequest,
  type ListFlags,
  listRequests,
  requestStates,
} from './commands/requests.js';
import { getTurn, waitForTurn } from './commands/turns.js';
import { waitForRequest } from './commands/wait-for-request.js';
import { type JsonFlag, jsonOption } from './flags/json-flag.js';
import { toInteger } from './flags/option-values.js';
import type { PromptFlags } from './flags/prompt-flags.js';
import { type ServerFlag, serverOption } from './flags/server-flag.js';
import { addWaitingFlags, type WaitingFlags } from './flags/waiting-flags.js';

const waitingHelp = `
Ctrl-C stops the waiting and not the agent: what is queued or runs goes on, and its id is printed with the ways back to it.`;

/** `agents prompt`, `interrupt`, `requests` and `turns`: work of an agent, and the ways back to it. */
export function addWork(agents: Command, caller: Caller): void {
  addPrompt(agents, caller);
  addRequests(agents, caller);
  addTurns(agents, caller);
}

function addPrompt(agents: Command, caller: Caller): void {
  const prompt = agents
    .command('prompt <name> [text...]')
    .description(
      'prompt an agent, wait, and print the answer; the text in quotes, "-" reads it from standard input',
    )
    .option('--model <model>', 'model for this turn')
    .addOption(
      new Option('--reasoning <level>', 'reasoning preset for this turn, 1 is the lowest').argParser(
        toInteger(0, 99),
      ),
    )
    .option(
      '--new',
      'start a fresh conversation; refused for an agent in a terminal, where only POST /v1/control/prompt can',
    )
    .option(
      '--idempotency-key <key>',
      'name of this prompt: given again with the same key and text, it is not queued again',
    )
    .option('--file <path>', 'the prompt from a file, or with - from standard input')
    .addOption(
      new Option(
        '--no-wait',
        'come back once the prompt is queued, and print the id with which to go on',
      ).conflicts('timeout'),
    );
  addWaitingFlags(prompt)
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, words: string[], flags: PromptFlags & JsonFlag) =>
      promptAgent(name, words, flags, caller.host(), caller.output(flags)),
    );
  agents
    .command('interrupt <name>')
    .description('stop the turn that runs now')
    .option('--turn <id>', 'stop this turn, and nothing where another one runs by now')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: InterruptFlags & JsonFlag) =>
      interruptAgent(name, flags, caller.host(), caller.output(flags)),
    );
}

function addRequests(agents: Command, caller: Caller): void {
  const requests = agents
    .command('requests')
    .description('what was queued for an agent, and what became of it');
  requests
    .command('list <name>')
    .description('the newest first, finished ones included')
    .addOption(new Option('--state <state>', 'only those in this state').choices(requestStates))
    .addOption(new Option('--limit <number>', 'how many at most').argParser(toInteger(1, 200)).default(20))
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ListFlags & JsonFlag) =>
      listRequests(name, flags, caller.host(), caller.output(flags)),
    );
  requests
    .command('show <name> <request-id>')
    .alias('get')
    .description('how one of them stands, with its answer')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getRequest(name, id, flags, caller.host(), caller.output(flags)),
    );
  addWaitingFlags(
    requests
      .command('wait <name> <request-id>')
      .description('wait for the end of one of them, and print the answer'),
  )
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, id: string, flags: ServerFlag & WaitingFlags & JsonFlag) =>
      waitForRequest(name, id, flags, caller.host(), caller.output(flags)),
    );
  requests
    .command('cancel <name> <request-id>')
    .description('take one that still waits out of the queue')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      cancelRequest(name, id, flags, caller.host(), caller.output(flags)),
    );
}

function addTurns(agents: Command, caller: Caller): void {
  const turns = agents
    .command('turns')
    .description('turns of an agent as a managed-agent server knows them, also of one without a gateway');
  turns
    .command('get <name> <turn-id>')
    .description('how one of them stands, with its answer')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getTurn(name, id, flags, caller.host(), caller.output(flags)),
    );
  addWaitingFlags(
    turns
      .command('wait <name> <turn-id>')
      .description('wait for the end of one of them, and print the answer'),
  )
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, id: string, flags: ServerFlag & WaitingFlags & JsonFlag) =>
      waitForTurn(name, id, flags, caller.host(), caller.output(flags)),
    );
}
