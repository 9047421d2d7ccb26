import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Caller } from './caller.js';
import { type EventFlags, showEvents } from './commands/events.js';
import { type LogFlags, showLog } from './commands/logs.js';
import { type JsonFlag, jsonOption } from './flags/json-flag.js';
import { toInteger } from './flags/option-values.js';
import { serverOption } from './flags/server-flag.js';
import { eventKinds } from './words/event-words.js';

const toKind = (text: string, all: string[]): string[] => {
  if (!eventKinds.includes(text))
    throw new InvalidArgumentError(`Allowed kinds are ${eventKinds.join(', ')}.`);
  return [...all, text];
};

/** `agents events` and `agents logs`: what happened at the gateway of an agent. */
export function addEvents(agents: Command, caller: Caller): void {
  agents
    .command('events <name>')
    .description('what happened at the gateway of an agent, the oldest first, in a line each')
    .option('-f, --follow', 'go on with what happens, over restarts of the gateway, until Ctrl-C')
    .addOption(
      new Option('--after <number>', 'only those behind the event with this number')
        .argParser(toInteger(0, Number.MAX_SAFE_INTEGER))
        .default(0),
    )
    .addOption(
      new Option('--kind <kind>', 'only this kind, such as turn_ended (repeatable)')
        .choices(eventKinds)
        .argParser(toKind)
        .default([], 'all'),
    )
    .addOption(serverOption())
    .option('--json', 'print one JSON object, for programs; with --follow one for each event')
    .action((name: string, flags: EventFlags & JsonFlag) =>
      showEvents(name, flags, caller.host(), caller.output(flags)),
    );
  agents
    .command('logs <name>')
    .description("the gateway's log of an agent, whether or not the gateway runs")
    .option('-f, --follow', 'go on with what is added, until Ctrl-C')
    .addOption(
      new Option('-n, --lines <number>', 'so many of its last lines')
        .argParser(toInteger(0, 1_000_000))
        .default(100),
    )
    .addOption(serverOption())
    .addOption(jsonOption())
    .action((name: string, flags: LogFlags & JsonFlag) =>
      showLog(name, flags, caller.host(), caller.output(flags)),
    );
}
