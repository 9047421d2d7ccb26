import { type Command, Option } from 'commander';
import type { AgentHost } from '../launch/agent-host.js';
import { interruptAgent, promptAgent } from './commands/prompt.js';
import {
  cancelRequest,
  getRequest,
  type ListFlags,
  listRequests,
  requestStates,
  type WaitFlags,
  waitForRequest,
} from './commands/requests.js';
import { getTurn, type WaitForTurnFlags, waitForTurn } from './commands/turns.js';
import { type JsonFlag, jsonOption, outputOf } from './flags/json-flag.js';
import { toInteger } from './flags/option-values.js';
import type { PromptFlags } from './flags/prompt-flags.js';
import { type ServerFlag, serverOption } from './flags/server-flag.js';

const silenceOption = (): Option =>
  new Option('--silence-limit <seconds>', 'stop waiting when gateway or server have not answered for so long')
    .argParser(toInteger(1, 2_000_000))
    .default(60);

const waitingHelp = `
Ctrl-C stops the waiting and not the agent: what is queued or runs goes on, and its id is printed with the ways back to it.

Exit codes:
  0    answered
  1    refused, or ended without an answer
  2    bad usage
  3    what became of it is not known yet: gateway or server are silent, or a submission got no answer
  130  stopped by Ctrl-C`;

/** `agents prompt`, `interrupt`, `requests` and `turns`: work of an agent, and the ways back to it. */
export function addWork(agents: Command, here: Here): void {
  addPrompt(agents, here);
  addRequests(agents, here);
  addTurns(agents, here);
}

/** This host, made when a command needs it: what is wrong with the environment is told by the command. */
type Here = () => AgentHost;

function addPrompt(agents: Command, here: Here): void {
  agents
    .command('prompt <name> <text>')
    .description('prompt an agent, wait, and print the answer; "-" reads the text from standard input')
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
    .addOption(silenceOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, text: string, flags: PromptFlags & JsonFlag) =>
      promptAgent(name, text, flags, here(), outputOf(flags)),
    );
  agents
    .command('interrupt <name>')
    .description('stop the turn that runs now')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: ServerFlag & JsonFlag) =>
      interruptAgent(name, flags, here(), outputOf(flags)),
    );
}

function addRequests(agents: Command, here: Here): void {
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
      listRequests(name, flags, here(), outputOf(flags)),
    );
  requests
    .command('get <name> <request-id>')
    .description('how one of them stands, with its answer')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getRequest(name, id, flags, here(), outputOf(flags)),
    );
  requests
    .command('wait <name> <request-id>')
    .description('wait for the end of one of them, and print the answer')
    .addOption(silenceOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, id: string, flags: WaitFlags & JsonFlag) =>
      waitForRequest(name, id, flags, here(), outputOf(flags)),
    );
  requests
    .command('cancel <name> <request-id>')
    .description('take one that still waits out of the queue')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      cancelRequest(name, id, flags, here(), outputOf(flags)),
    );
}

function addTurns(agents: Command, here: Here): void {
  const turns = agents
    .command('turns')
    .description('turns of an agent as a managed-agent server knows them, also of one without a gateway');
  turns
    .command('get <name> <turn-id>')
    .description('how one of them stands, with its answer')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, id: string, flags: ServerFlag & JsonFlag) =>
      getTurn(name, id, flags, here(), outputOf(flags)),
    );
  turns
    .command('wait <name> <turn-id>')
    .description('wait for the end of one of them, and print the answer')
    .addOption(silenceOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .addHelpText('after', waitingHelp)
    .action((name: string, id: string, flags: WaitForTurnFlags & JsonFlag) =>
      waitForTurn(name, id, flags, here(), outputOf(flags)),
    );
}
