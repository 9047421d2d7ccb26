import type { Command, Option } from 'commander';

/** What a word of a command line may become. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/**
 * What the last word of a command line may become: a command, an option, one of its choices, or the name of an agent. None where only
 * the shell can help, as with files.
 *
 * @param words behind the program's name; the last one is the beginning of what is looked for
 * @param agents asked only where a name stands
 */
export function candidatesFor(
  program: Command,
  words: readonly string[],
  agents: () => readonly string[],
): Candidate[] {
  const begun = words.at(-1) ?? '';
  const { command, positionals, pending, isOver } = placeOf(program, words.slice(0, -1));
  return possible().filter(({ value }) => value.startsWith(begun));

  function possible(): readonly Candidate[] {
    if (pending) return valuesOf(pending, agents);
    if (begun.startsWith('-') && !isOver) return optionsOf(command);
    if (command.commands.length > 0 && positionals === 0) return commandsOf(command);
    return command.registeredArguments[positionals]?.name() === 'name' ? named(agents()) : [];
  }
}

interface Place {
  readonly command: Command;
  /** Words that are neither commands nor options or their values. */
  readonly positionals: number;
  /** An option that waits for its value. */
  readonly pending: Option | null;
  /** Behind `--`, where nothing is an option. */
  readonly isOver: boolean;
}

function placeOf(program: Command, words: readonly string[]): Place {
  let [command, positionals, isOver] = [program, 0, false];
  let pending: Option | null = null;
  for (const word of words) {
    if (pending) pending = null;
    else if (word === '--') isOver = true;
    else if (word.startsWith('-') && !isOver) pending = waitingFor(command, word);
    else {
      const next = positionals === 0 && !isOver ? subcommand(command, word) : undefined;
      if (next) command = next;
      else positionals += 1;
    }
  }
  return { command, positionals, pending, isOver };
}

const subcommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word));

/** Null for one that takes no value, or has it already. */
function waitingFor(command: Command, word: string): Option | null {
  for (let one: Command | null = command; one !== null; one = one.parent) {
    const option = one.options.find(({ long, short }) => word === long || word === short);
    if (option) return option.required ? option : null;
  }
  return null;
}

const valuesOf = (option: Option, agents: () => readonly string[]): readonly Candidate[] =>
  option.long === '--agent-name'
    ? named(agents())
    : (option.argChoices ?? []).map((value) => ({ value, description: '' }));

const named = (names: readonly string[]): Candidate[] =>
  names.map((value) => ({ value, description: 'agent' }));

const optionsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));

const commandsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), description: one.description() }));
