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
    .description("list the events of an agent's gateway, oldest first, one per line")
    .option('-f, --follow', 'keep printing new events, across restarts of the gateway, until Ctrl-C')
    .addOption(
      new Option('--after <number>', 'only events after the one with this number')
        .argParser(toInteger(0, Number.MAX_SAFE_INTEGER))
        .default(0),
    )
    .addOption(
      new Option('--kind <kind>', 'only events of this kind, such as turn_ended (repeatable)')
        .choices(eventKinds)
        .argParser(toKind)
        .default([], 'all'),
    )
    .addOption(serverOption())
    .option('--json', 'print one JSON object, for programs; with --follow one per event')
    .action((name: string, flags: EventFlags & JsonFlag) =>
      showEvents(name, flags, caller.host(), caller.output(flags)),
    );
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
